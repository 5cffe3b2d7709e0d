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
import { selectedRuns } from '../problems';
import { Session } from '../session';
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

interface CheckInput extends Gpu {
  readonly path?: string | undefined;
  readonly command?: string | undefined;
  readonly text?: string | undefined;
}

interface RunInput extends Gpu {
  readonly path: string;
  readonly run?: string | undefined;
}

interface PlanInput extends Gpu {
  readonly path: string;
  readonly goal: Goal;
}

/** A folder with more configs is answered in parts. */
const MOST_FILES = 500;

/** The verdict of each run of a file, folder, command line or text. */
export async function check({ path, command, text, ...gpu }: CheckInput, at: Workspace): Promise<string> {
  const session = new Session({ silent: true, folder: at.folder });
  const target = await session.target(options(gpu));
  if (command !== undefined) return checkAnswer([await analyzed(session, 'command.sh', command, target)]);
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
  { path, run, ...gpu }: RunInput,
  { roots, folder }: Workspace,
): Promise<string> {
  const file = roots.resolve(path);
  const session = new Session({ silent: true, folder });
  const read = await session.read(file);
  if ('why' in read) throw new Refusal(read.why);
  const target = await session.target(options(gpu));
  const selected = selectedRuns(await session.analyze(file, read.text, target), run);
  if (typeof selected === 'string') throw new Refusal(selected);
  const texts = selected.runs.filter(one => one.judged).map(one => explainAnswer(roots.shorten(file), one));
  return bounded(texts.join('\n\n') || checkAnswer([]));
}

/** Changes that reach a goal, without making them. */
export async function plan(input: PlanInput, at: Workspace): Promise<string> {
  const { found, search } = await plansOf(input, at);
  return bounded(planAnswer(found.chosen, search, file => at.roots.shorten(file)));
}

/** Makes the changes of a plan after the user has agreed; `headroom optimize --undo` takes them back. */
export async function apply(input: PlanInput & { readonly plan: number }, at: Workspace): Promise<string> {
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

async function plansOf({ path, goal, ...gpu }: PlanInput, { roots, folder }: Workspace) {
  const session = new Session({ silent: true, folder });
  const target = await session.neededTarget(options(gpu));
  const found = await neediestRun(session, roots.resolve(path), target);
  if (found.chosen.estimate === null || found.chosen.tentative) {
    throw new Refusal(explainAnswer(path, found.chosen));
  }
  const search = await plansFor(found, target, goal, { margin: DEFAULT_MARGIN, plan: 1 });
  return { found, search };
}

/** GPUs of this machine and of the catalog that a run fits on, with prices. */
export async function where({ path, gpu }: { readonly path: string } & Gpu, at: Workspace): Promise<string> {
  const config = at.roots.resolve(path);
  const session = new Session({ silent: true, folder: dirname(config) });
  const said: Shown[] = [];
  const say = (text: Shown): void => void said.push(text);
  const options = { margin: DEFAULT_MARGIN, ...(gpu !== undefined && { gpu: [gpu] }) };
  await compareTo({ out: say, err: say, paint: plainPaint }, session, basename(config), options);
  return bounded(lines(said).raw);
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
