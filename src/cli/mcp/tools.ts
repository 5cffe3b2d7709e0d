import { basename, dirname, join } from 'node:path';
import type { Analysis } from '../../core/rules/analysis';
import type { Target } from '../../core/hardware/gpu';
import { DEFAULT_MARGIN } from '../../core/plan/plan';
import type { Goal } from '../../core/plan/plan';
import { compareTo } from '../commands/compare';
import { plansFor, replacementsOf } from '../commands/optimize';
import { lines, plainPaint } from '../../core/text/terminal';
import type { Shown } from '../../core/text/terminal';
import { replaceAll } from '../files';
import { findInputs } from '../inputs';
import { neediestRun } from '../neediest';
import type { Source } from '../neediest';
import { selectedRuns } from '../problems';
import { Session } from '../session';
import { TYPED } from '../typedCommand';
import { recordUndo } from '../undo';
import { bounded, checkAnswer, explainAnswer, planAnswer } from './answers';
import type { Ask } from './ask';
import { Refusal } from './roots';
import type { Roots } from './roots';
import { execFile } from 'node:child_process';

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * What a verb of this program prints, run as a process in a folder, so that what it starts and how it ends does not
 * touch the server. A failed verb's text is its answer, too: it says what to do.
 */
function ownVerb(args: readonly string[], folder: string): Promise<string> {
  const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES, windowsHide: true };
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [join(__dirname, 'cli.js'), ...args],
      options,
      (error, out, err) => {
        const late = error?.killed === true ? `headroom ${args[0] ?? ''} took longer than a minute.` : '';
        resolve([out, err, late].filter(text => text.trim() !== '').join('\n'));
      },
    );
    child.stdin?.end();
  });
}

/** What tools share: where they may look, and how they ask the user. */
export interface Workspace {
  readonly roots: Roots;
  /** The folder of relative paths in commands and answers. */
  readonly folder: string;
  readonly ask: Ask;
}

interface Gpu {
  readonly gpu?: string | undefined;
  readonly gpus?: number | undefined;
}

/** What a run is read from: a file of the workspace, or a command line. */
interface Asked {
  readonly path?: string | undefined;
  readonly command?: string | undefined;
}

interface CheckInput extends Gpu, Asked {
  readonly text?: string | undefined;
}

interface RunInput extends Gpu, Asked {
  readonly run?: string | undefined;
}

interface PlanInput extends Gpu, Asked {
  readonly goal: Goal;
}

interface ApplyInput extends PlanInput {
  readonly path: string;
  readonly plan: number;
}

/** A session that reads configs, and what they name, only below the roots. */
const sessionOf = ({ roots, folder }: Pick<Workspace, 'roots' | 'folder'>): Session =>
  new Session({ silent: true, folder, mayRead: path => roots.has(path) });

/** The file and text of a source; a command is reported under the name that `check` gives it. */
async function sourceOf({ path, command }: Asked, roots: Roots, session: Session): Promise<Source> {
  if (command !== undefined) return { file: TYPED, text: command };
  if (path === undefined) throw new Refusal('Give a path or a command.');
  const file = roots.resolve(path);
  return { file, text: await session.text(file) };
}

/** A folder with more configs is answered in parts. */
const MOST_FILES = 500;

/** The verdict of each run of a file, folder, command line or text. */
export async function check({ path, command, text, ...gpu }: CheckInput, at: Workspace): Promise<string> {
  const session = sessionOf(at);
  const target = await session.target(options(gpu));
  if (command !== undefined) return checkAnswer([await analyzed(session, TYPED, command, target)]);
  if (text !== undefined) return checkAnswer([await analyzed(session, 'pasted.yaml', text, target)]);
  if (path === undefined) throw new Refusal('Give a path, a command or a text.');
  const { files } = await findInputs([at.roots.resolve(path)]);
  if (files.length > MOST_FILES) {
    throw new Refusal(`${path} has ${files.length} files. Give a smaller folder.`);
  }
  const all: Analysis[] = [];
  for (const file of files) {
    const read = await session.read(file.path);
    if ('text' in read) all.push(await analyzed(session, file.path, read.text, target));
  }
  return bounded(checkAnswer(all.map(one => ({ ...one, file: at.roots.shorten(one.file) }))));
}

const analyzed = (session: Session, file: string, text: string, target: Target | null): Promise<Analysis> =>
  session.analyze(file, text, target);

/** One run of a config, with the origin of each value. */
export async function explain(
  { run, path, command, ...gpu }: RunInput,
  { roots, folder }: Workspace,
): Promise<string> {
  const session = sessionOf({ roots, folder });
  const { file, text } = await sourceOf({ path, command }, roots, session);
  const target = await session.target(options(gpu));
  const selected = selectedRuns(await session.analyze(file, text, target), run);
  if (typeof selected === 'string') throw new Refusal(selected);
  const texts = selected.runs.filter(one => one.judged).map(one => explainAnswer(roots.shorten(file), one));
  return bounded(texts.join('\n\n') || checkAnswer([]));
}

/** Changes that reach a goal, without making them. */
export async function plan(input: PlanInput, at: Workspace): Promise<string> {
  const { found, search } = await plansOf(input, at);
  const isFile = input.command === undefined;
  return bounded(planAnswer(found.chosen, search, { isFile, shorten: file => at.roots.shorten(file) }));
}

/** Makes the changes of a plan after the user has agreed; `headroom optimize --undo` takes them back. */
export async function apply(input: ApplyInput, at: Workspace): Promise<string> {
  const { found, search } = await plansOf(input, at);
  const chosen = search.plans[input.plan - 1];
  if (!chosen) throw new Refusal(`There is no plan ${input.plan}. Call plan first.`);
  if (found.bad[0] !== undefined) throw new Refusal(`${found.bad[0]} Nothing was changed.`);
  const replacements = replacementsOf(found.chosen, chosen);
  for (const { path } of replacements) at.roots.resolve(path);
  const edits = chosen.edits.map(({ path, from, to }) => `${path}: ${from ?? 'not set'} -> ${to}`);
  const question = bounded(
    `Change ${at.roots.shorten(replacements[0]?.path ?? input.path)}?\n${edits.join('\n')}`,
  );
  const agreed = await at.ask(question);
  if (!agreed.yes) throw new Refusal(agreed.why);
  const replaced = await replaceAll(replacements, true);
  await recordUndo(replaced);
  const changed = replaced.map(
    ({ path, backup }) => `${at.roots.shorten(path)} (backup ${basename(backup)})`,
  );
  return bounded(
    `Changed ${changed.join(', ')}. ${chosen.effect}\nUndo: headroom optimize ${input.path} --undo`,
  );
}

async function plansOf({ path, command, goal, ...gpu }: PlanInput, { roots, folder }: Workspace) {
  const session = sessionOf({ roots, folder });
  const target = await session.neededTarget(options(gpu));
  const source = await sourceOf({ path, command }, roots, session);
  const found = await neediestRun(session, source, target);
  if (found.chosen.estimate === null || found.chosen.tentative) {
    throw new Refusal(explainAnswer(roots.shorten(source.file), found.chosen));
  }
  const search = await plansFor(found, target, goal, { margin: DEFAULT_MARGIN, plan: 1 });
  return { found, search };
}

/** GPUs of this machine and of the catalog that a run fits on, with prices. */
export async function where({ gpu, ...asked }: Asked & Gpu, { roots, folder }: Workspace): Promise<string> {
  const session = sessionOf({ roots, folder });
  const { file, text } = await sourceOf(asked, roots, session);
  const said: Shown[] = [];
  const say = (line: Shown): void => void said.push(line);
  const chosen = { margin: DEFAULT_MARGIN, ...(gpu !== undefined && { gpu: [gpu] }) };
  await compareTo({ out: say, err: say, paint: plainPaint }, session, { file, text }, chosen);
  return bounded(lines(said).raw.replaceAll(file, roots.shorten(file)));
}

/** The GPUs of this machine, now. */
export const gpus = async ({ folder }: Workspace): Promise<string> =>
  bounded(await ownVerb(['gpus', '--no-color'], folder));

interface JobsInput {
  readonly action: 'list' | 'logs' | 'stop' | 'start';
  readonly job?: string | undefined;
  readonly path?: string | undefined;
}

/** Jobs that Headroom started; starting and stopping ask the user first. */
export async function jobs({ action, job, path }: JobsInput, at: Workspace): Promise<string> {
  if (action === 'list') return bounded(await ownVerb(['jobs', '--no-color'], at.folder));
  if (action === 'start') return start(path, at);
  if (job === undefined || job.startsWith('-')) throw new Refusal('Give the id of a job, or "last".');
  if (action === 'logs') return tail(await ownVerb(['logs', job, '--no-color'], at.folder));
  const agreed = await at.ask(`Stop the job ${job}?`);
  if (!agreed.yes) throw new Refusal(agreed.why);
  return bounded(await ownVerb(['stop', job, '--no-color'], at.folder));
}

async function start(path: string | undefined, at: Workspace): Promise<string> {
  if (path === undefined) throw new Refusal('Give the path of a config.');
  const config = at.roots.resolve(path);
  const look = await ownVerb(['run', `./${basename(config)}`, '--dry-run', '--no-color'], dirname(config));
  const agreed = await at.ask(bounded(`Start this job?\n${look}`));
  if (!agreed.yes) throw new Refusal(agreed.why);
  return bounded(await ownVerb(['run', `./${basename(config)}`, '--detach', '--no-color'], dirname(config)));
}

/** The end of an output decides, so its beginning is cut. */
const tail = (text: string): string => bounded(text.slice(-3000));

const options = ({ gpu, gpus: count }: Gpu) => ({
  ...(gpu === undefined ? {} : { gpu }),
  ...(count === undefined ? {} : { gpus: count }),
});
