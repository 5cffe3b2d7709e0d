import type { Counted } from '../core/render/summary';

/** Exit codes of every verb; CI relies on them. `unwritten`: stdout was closed, so the result was not delivered. */
export const EXIT = { fits: 0, exceeds: 1, undecided: 2, bad: 3, unwritten: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type FailOn = 'tight' | 'exceeds';

/** The worst of all runs; the caller adds bad input, which it knows of. */
export function exitCodeOf(analyses: readonly Counted[], failOn: FailOn): ExitCode {
  const verdicts = analyses.flatMap(({ runs }) => runs.filter(run => run.judged).map(run => run.verdict));
  if (verdicts.includes('exceeds') || (failOn === 'tight' && verdicts.includes('tight'))) return EXIT.exceeds;
  return verdicts.includes('unknown') ? EXIT.undecided : EXIT.fits;
}
