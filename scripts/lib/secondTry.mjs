// Suites that drive a real editor, daemons or trainers share the machine with them, and now and then lose a race that no user
// would. Files of such a suite in which something failed are run once more; the report says which tests passed only then.

const fileOf = test => test.file ?? null;

/** The files with failures; null where mocha does not know them all, or nothing was counted. */
export function filesToRepeat(results) {
  const files = results?.failures.map(fileOf) ?? [];
  return files.length === 0 || files.includes(null) ? null : [...new Set(files)].sort();
}

/** What both runs say together: of the repeated files the second, of all others the first. */
export function withSecondTry(first, second, files) {
  const kept = test => !files.includes(fileOf(test));
  const failures = [...first.failures.filter(kept), ...second.failures];
  const count = (name, kind) => first[kind].filter(kept).length + second.stats[name];
  const passes = count('passes', 'passes');
  const pending = count('pending', 'pending');
  const failed = new Set(second.failures.map(test => test.fullTitle));
  return {
    stats: { tests: passes + pending + failures.length, passes, pending, failures: failures.length },
    failures,
    late: first.failures.map(test => test.fullTitle).filter(title => !failed.has(title)),
  };
}
