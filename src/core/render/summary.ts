import type { RunAnalysis } from '../rules/analysis';

/** What a sum over files needs to know of one: an analysis has it, and so has what is left of one. */
export interface Counted {
  readonly file: string;
  readonly dialect: string | null;
  readonly runs: readonly CountedRun[];
}

interface CountedRun extends Pick<RunAnalysis, 'judged' | 'verdict'> {
  readonly run: { readonly sources: readonly { readonly path: string }[] };
}

const COUNTED: readonly (readonly [verdict: RunAnalysis['verdict'], one: string, several: string])[] = [
  ['fits', 'fits', 'fit'],
  ['tight', 'is tight', 'are tight'],
  ['exceeds', 'does not fit', 'do not fit'],
  ['unknown', 'is unknown', 'are unknown'],
];

/**
 * What was found among how many files, in a line: `3 configs in 8 files, 7 runs: 5 fit, 2 do not fit`. A stage leads to
 * the runs of its config: where that is among the files, the stage counts as a file only.
 */
export function summaryText(all: readonly Counted[], files: number): string {
  const analyses = onceEach(all);
  const runs = analyses.flatMap(analysis => analysis.runs.filter(run => run.judged));
  const configs = analyses.filter(analysis => analysis.dialect !== null).length;
  return `${plural(configs, 'config')} in ${plural(files, 'file')}, ${verdictsText(runs)}`;
}

/** How runs fare: `7 runs: 5 fit, 2 do not fit`. */
export function verdictsText(runs: readonly Pick<RunAnalysis, 'verdict'>[]): string {
  const parts = COUNTED.flatMap(([verdict, one, several]) => {
    const n = runs.filter(run => run.verdict === verdict).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : several}`];
  });
  return `${plural(runs.length, 'run')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** What to do about runs that do not fit, when there are any. */
export function adviceText(analyses: readonly Counted[]): string | null {
  const verdicts = analyses.flatMap(({ runs }) => runs.map(({ verdict }) => verdict));
  return verdicts.includes('exceeds') ? 'To make a run fit, use headroom optimize FILE.' : null;
}

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** A curriculum stage leads to the runs of its config: where that is judged, the stage is not judged again. */
export function onceEach<File extends Counted>(analyses: readonly File[]): readonly File[] {
  const files = new Set(analyses.map(({ file }) => file));
  const isElsewhere = (file: string, config = file): boolean => config !== file && files.has(config);
  return analyses.filter(
    ({ file, runs }) => !runs.some(({ run }) => isElsewhere(file, run.sources[0]?.path)),
  );
}
