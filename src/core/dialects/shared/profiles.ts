import type { Rule } from '../dialect';

/** A value that all profiles of a file share; unknown if they differ. */
export const allOf =
  (key: string, why: string): Rule<string> =>
  run => {
    const profiles = run.keys().filter(profile => run.has(`${profile}.${key}`));
    const values = new Set(profiles.map(profile => run.word(`${profile}.${key}`)));
    const [first] = profiles;
    if (first === undefined || values.size !== 1) return run.unknown(why);
    return run.at(`${first}.${key}`, [...values][0] ?? null);
  };
