import type { Result } from 'sarif';
import type { Analysis } from '../core/rules/analysis';
import type { Target } from '../core/hardware/gpu';
import { fileAsJson } from '../core/render/json';
import type { Json } from '../core/render/json';
import { sarifResults } from '../core/render/sarif';
import type { Counted } from '../core/render/summary';
import { checkText } from '../core/render/text';
import type { InputFile } from './inputs';
import { paintOf } from './output';
import { unreadable } from './problems';
import { lacksTarget } from './session';
import type { Session } from './session';

/** What one file comes to, ready to be printed, and what is left of its analysis. */
export interface Checked extends Counted {
  /** Sentences about what could not be read. */
  readonly bad: readonly string[];
  readonly lacksTarget: boolean;
  /** Null for a file that nobody named and that is none of ours. */
  readonly printed: Printed | null;
}

export type Printed =
  | { readonly format: 'text'; readonly text: string }
  | { readonly format: 'json'; readonly json: Json }
  | { readonly format: 'sarif'; readonly results: readonly Result[] };

/** How files are to be checked: plain data, so that a thread can be told. */
export interface CheckTask {
  readonly target: Target | null;
  readonly format: Printed['format'];
  readonly colored: boolean;
}

/** Checks some files, read side by side. */
export async function checkSome(
  session: Session,
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
  session: Session,
  { path, named }: InputFile,
  read: Awaited<ReturnType<Session['read']>>,
  task: CheckTask,
): Promise<Checked> {
  if ('why' in read) {
    const bad = named ? [read.why] : [];
    return { file: path, dialect: null, runs: [], bad, lacksTarget: false, printed: null };
  }
  const analysis = await session.analyse(path, read.text, task.target);
  const isShown = analysis.dialect !== null || analysis.findings.length > 0 || named;
  return {
    file: path,
    dialect: analysis.dialect,
    runs: analysis.runs.map(({ judged, verdict, run }) => ({
      judged,
      verdict,
      run: { sources: run.sources.slice(0, 1).map(source => ({ path: source.path })) },
    })),
    bad: unreadable(analysis, named),
    lacksTarget: lacksTarget(analysis),
    printed: isShown ? print(analysis, task) : null,
  };
}

function print(analysis: Analysis, { format, colored }: CheckTask): Printed {
  switch (format) {
    case 'json':
      return { format, json: fileAsJson(analysis) };
    case 'sarif':
      return { format, results: sarifResults(analysis) };
    case 'text':
      return { format, text: checkText(analysis, paintOf(colored)) };
  }
}
