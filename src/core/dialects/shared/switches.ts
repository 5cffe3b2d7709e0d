import type { Rule } from '../dialect';

/** A flag that is there or not, by its names. */
export const switchedOn =
  (names: readonly string[], source: string): Rule<boolean> =>
  run => {
    const key = names.find(name => run.has(name));
    return key === undefined ? run.byDefault(false, source) : run.at(key, run.flag(key));
  };
