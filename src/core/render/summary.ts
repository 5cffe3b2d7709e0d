import type { RunAnalysis } from '../rules/analysis';
import { isProgram } from '../text/paths';
import { english, said, template } from '../text/say';
import { commas } from '../text/lists';
import type { Say, Template } from '../text/say';

/** The facts that a sum over files needs, from an analysis or its summary. */
export interface Counted {
  readonly file: string;
  readonly dialect: string | null;
  readonly runs: readonly CountedRun[];
}

interface CountedRun extends Pick<RunAnalysis, 'judged' | 'verdict'> {
  readonly run: { readonly sources: readonly { readonly path: string }[] };
}

const COUNTED: readonly (readonly [verdict: RunAnalysis['verdict'], one: Template, several: Template])[] = [
  ['fits', template('{0} fits'), template('{0} fit')],
  ['tight', template('{0} is tight'), template('{0} are tight')],
  ['exceeds', template('{0} does not fit'), template('{0} do not fit')],
  ['unknown', template('{0} is unknown'), template('{0} are unknown')],
];

/**
 * A summary line: `3 configs in 8 files, 7 runs: 5 fit, 2 do not fit`. A curriculum stage has the runs of its
 * config: if the config is among the files, the stage only counts as a file.
 */
export function summaryText(all: readonly Counted[], files: number, say: Say = english): string {
  const analyses = onceEach(all);
  const runs = analyses.flatMap(analysis => analysis.runs.filter(run => run.judged));
  const configs = analyses.filter(analysis => analysis.dialect !== null).length;
  const counts = [
    configs === 1 ? say('1 config') : say('{0} configs', configs),
    files === 1 ? say('1 file') : say('{0} files', files),
  ];
  return say('{0} in {1}, {2}', ...counts, verdictsText(say, runs));
}

/** Number of runs by verdict: `7 runs: 5 fit, 2 do not fit`. */
export function verdictsText(say: Say, runs: readonly Pick<RunAnalysis, 'verdict'>[]): string {
  const parts = COUNTED.flatMap(([verdict, one, several]) => {
    const n = runs.filter(run => run.verdict === verdict).length;
    return n === 0 ? [] : [said(say, n === 1 ? one : several, n)];
  });
  const count = runs.length === 1 ? say('1 run') : say('{0} runs', runs.length);
  return parts.length > 0 ? say('{0}: {1}', count, commas(say, parts)) : count;
}

/** Advice for runs that do not fit; null if all do. */
export function adviceText(analyses: readonly Counted[]): string | null {
  const verdicts = analyses.flatMap(({ runs }) => runs.map(({ verdict }) => verdict));
  return verdicts.includes('exceeds') ? 'To make a run fit, use headroom optimize FILE.' : null;
}

/** The config of a run: where a program opens one that a command names, that file. */
export function configOf({ sources }: CountedRun['run']): string | undefined {
  const first = sources[0]?.path;
  if (first === undefined || !isProgram(first)) return first;
  return sources.find(({ path }) => DATA.test(path))?.path ?? first;
}

const DATA = /\.(?:ya?ml|json|toml)$/;

/** Skips a curriculum stage if its config, which has the same runs, is among the files. */
export function onceEach<File extends Counted>(analyses: readonly File[]): readonly File[] {
  const files = new Set(analyses.map(({ file }) => file));
  const isElsewhere = (file: string, config = file): boolean => config !== file && files.has(config);
  return analyses.filter(({ file, runs }) => !runs.some(({ run }) => isElsewhere(file, configOf(run))));
}
