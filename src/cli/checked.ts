import { resolve } from 'node:path';
import type { Result } from 'sarif';
import type { Analysis } from '../core/rules/analysis';
import { failedAnalysis } from '../core/analyse/failed';
import type { Target } from '../core/hardware/gpu';
import { fileAsJson } from '../core/render/json';
import type { Json } from '../core/text/json';
import { sarifResults } from '../core/render/sarif';
import { configOf } from '../core/render/summary';
import type { Counted } from '../core/render/summary';
import { checkText } from '../core/render/text';
import type { RanOut } from '../jobs/failures';
import { definesDialect } from '../core/text/paths';
import { digestOf } from '../jobs/request';
import type { InputFile } from './inputs';
import { isDebugging, paintOf } from './output';
import { faultyDialects, selectedRuns, unreadable } from './problems';
import type { FaultyDialect } from './problems';
import { lacksTarget } from './session';
import type { Session } from './session';

/** The parts of a session that a check uses. */
type Reading = Pick<Session, 'read' | 'analyze'>;

/** The result for one file, ready to print, and a summary of its analysis. */
export interface Checked extends Counted {
  /** Sentences about what could not be read. */
  readonly bad: readonly string[];
  /** Dialects near it that have errors. */
  readonly faultyDialects: readonly FaultyDialect[];
  readonly lacksTarget: boolean;
  /** A named file of an unknown format, which has nothing else to report. */
  readonly isStranger: boolean;
  /** Null for a file that was found, not named, and is not a config. */
  readonly printed: Printed | null;
}

export type Printed =
  /** The content of a `TerminalText`: threads can only pass plain data. */
  | { readonly format: 'text'; readonly text: string }
  | { readonly format: 'json'; readonly json: Json }
  | { readonly format: 'sarif'; readonly results: readonly Result[] };

/** How to check files: plain data, so that it can be passed to a thread. */
export interface CheckTask {
  readonly target: Target | null;
  readonly format: Printed['format'];
  readonly colored: boolean;
  /** Only the run of this name; absent: all. */
  readonly run?: string | undefined;
  /** Models that are not on this machine are looked for on the Hub. */
  readonly download?: boolean;
  /** Runs whose last job ran out of memory, even if their configs have changed since. */
  readonly ranOut: readonly RanOut[];
}

/** Checks some files, read concurrently. */
export async function checkSome(
  session: Reading,
  files: readonly InputFile[],
  task: CheckTask,
): Promise<readonly Checked[]> {
  const texts = await Promise.all(files.map(({ path }) => session.read(path)));
  const all: Checked[] = [];
  for (const [i, file] of files.entries()) {
    const read = texts[i];
    if (read) all.push(await checkOne(session, file, read, task));
  }
  return all;
}

async function checkOne(
  session: Reading,
  { path, named }: InputFile,
  read: Awaited<ReturnType<Session['read']>>,
  task: CheckTask,
): Promise<Checked> {
  const unread = (why: string): Checked => {
    const bad = named ? [why] : [];
    return {
      file: path,
      dialect: null,
      runs: [],
      bad,
      faultyDialects: [],
      lacksTarget: false,
      isStranger: false,
      printed: null,
    };
  };
  if ('why' in read) return unread(read.why);
  try {
    const analysis = selectedRuns(await analyzed(session, path, read.text, task), task.run);
    return typeof analysis === 'string' ? unread(analysis) : checkedOf(analysis, named, task);
  } catch (error) {
    // One bad file must not stop the check of the others.
    const failed = failedAnalysis(path, error, isDebugging());
    const bad = failed.findings.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
    return { ...checkedOf(failed, true, task), bad };
  }
}

function checkedOf(analysis: Analysis, named: boolean, task: CheckTask): Checked {
  const isShown = analysis.dialect !== null || analysis.findings.length > 0 || named;
  return {
    file: analysis.file,
    dialect: analysis.dialect,
    runs: analysis.runs.map(({ judged, verdict, run }) => ({
      judged,
      verdict,
      run: { sources: [configOf(run)].flatMap(path => (path === undefined ? [] : [{ path }])) },
    })),
    bad: unreadable(analysis, named),
    faultyDialects: faultyDialects(analysis),
    lacksTarget: lacksTarget(analysis),
    isStranger:
      named && analysis.dialect === null && analysis.findings.length === 0 && !definesDialect(analysis.file),
    printed: isShown ? print(analysis, task) : null,
  };
}

/** An analysis with the failures of its last jobs, if the config has not changed since. */
async function analyzed(session: Reading, path: string, text: string, task: CheckTask): Promise<Analysis> {
  const first = await session.analyze(path, text, task.target);
  const file = resolve(path);
  const failures = task.ranOut.flatMap(({ config, report }) => {
    if (config.file !== file) return [];
    const run = first.runs.find(one => one.run.name === config.run);
    return run && digestOf(run) === config.digest ? [{ run: config.run, report }] : [];
  });
  return failures.length === 0 ? first : session.analyze(path, text, task.target, { failures });
}

function print(analysis: Analysis, { format, colored }: CheckTask): Printed {
  switch (format) {
    case 'json':
      return { format, json: fileAsJson(analysis) };
    case 'sarif':
      return { format, results: sarifResults(analysis) };
    case 'text':
      return { format, text: checkText(analysis, paintOf(colored)).raw };
  }
}
