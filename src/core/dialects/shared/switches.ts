import type { Rule } from '../dialect';

/** The values of a switch, as help lists them. */
export const FLAG = ['true', 'false'] as const;

/** A flag that is there or not, by its names. */
export const switchedOn =
  (names: readonly string[], source: string): Rule<boolean> =>
  run => {
    const key = names.find(name => run.has(name));
    return key === undefined ? run.byDefault(false, source) : run.at(key, run.flag(key));
  };
