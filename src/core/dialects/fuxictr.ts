import type { Rule, Dialect } from './dialect';
import { builtIn } from './defined/compile';
import file from './fuxictr.yaml';

/** A value that all profiles of a file share; unknown if they differ. */
const allOf =
  (key: string, why: string): Rule<string> =>
  run => {
    const profiles = run.keys().filter(profile => run.has(`${profile}.${key}`));
    const values = new Set(profiles.map(profile => run.word(`${profile}.${key}`)));
    const [first] = profiles;
    if (first === undefined || values.size !== 1) return run.unknown(why);
    return run.at(`${first}.${key}`, [...values][0] ?? null);
  };

const PROFILE = 'Each experiment has its own, and --expid of the command line picks one.';

/**
 * FuxiCTR's model configs: one experiment per key, on top of `Base`; sources are files of reczoo/FuxiCTR 0245987.
 */
export const fuxictr: Dialect = builtIn(file, {
  quantities: {
    model: allOf('model', PROFILE),
  },
});
