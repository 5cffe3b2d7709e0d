import type { RunAnalysis } from '../../core/rules/analysis';
import { launchOf } from '../../core/launch/launch';
import type { Opened } from '../../core/launch/launch';
import type { RunLaunch } from '../../core/launch/runLaunch';
import type { Target } from '../../core/hardware/gpu';
import { MIB } from '../../core/units';
import type { JobRequest, JobPlace } from '../../jobs/job';
import { secondsOfStep } from '../../core/plan/speed';
import { gpusOf, trainingRequest } from '../../jobs/request';
import { corePath } from '../../world/environment';
import { openJobsHere } from '../jobs/open';
import type { JobsOptions } from '../jobs/open';
import { placeOf } from '../jobs/place';
import type { PlaceChoice } from '../jobs/place';
import { show, startAll } from '../jobs/start';
import type { StartOptions } from '../jobs/start';
import { EXIT } from '../exit';
import { BadInput, terminalOutput } from '../output';
import { noRun } from '../problems';
import { Session } from '../session';
import { commandHere } from '../../world/programs';
import { measurementsFor } from '../../world/measurements';
import type { KeptFor } from '../../world/measurements';
import { resolve, join } from 'node:path';
import { version } from '../../../package.json';

interface RunOptions extends StartOptions, JobsOptions, PlaceChoice {
  readonly gpus?: number;
  readonly gpu?: readonly string[];
  readonly run?: string;
  readonly set?: readonly string[];
  readonly env?: readonly string[];
  readonly secret?: readonly string[];
  readonly time?: number;
  readonly mem?: number;
  readonly cpus?: number;
  readonly requeue?: boolean;
  readonly force?: boolean;
  readonly keepMeasured: KeptFor;
}

/** `headroom run CONFIG… -- ARGS`: shows what it will start, and starts it unless it cannot fit. */
export async function run(words: readonly string[], options: RunOptions): Promise<void> {
  const { configs, extra } = split(words);
  if (configs.length === 0) {
    throw new BadInput('Give a config before --; words after -- are added to its command.');
  }
  const output = terminalOutput(options);
  const session = new Session();
  const jobs = openJobsHere(options);
  const requests: JobRequest[] = [];
  const target = await targetOf(session, options);
  for (const file of configs) requests.push(await requestOf({ session, target }, file, extra, options));
  for (const request of requests) await show(jobs, request, options, { output, seesGpu: target !== null });
  const tooLarge = requests.filter(({ estimate, gpus }) => gpus.count > 0 && estimate?.verdict === 'exceeds');
  if (tooLarge.length > 0 && !options.force) {
    output.err(refusal(tooLarge, options.queue ? null : target));
    process.exitCode = EXIT.exceeds;
    return;
  }
  if (options.dryRun) return;
  await startAll(jobs, requests, options, output);
}

/** A queued job gets the whole GPU: memory that other programs hold now counts only without `--queue`. */
async function targetOf(session: Session, { gpus, queue }: RunOptions): Promise<Target | null> {
  const target = await session.target(gpus === undefined ? {} : { gpus }).catch(() => null);
  return target && queue ? { ...target, busyMiB: 0 } : target;
}

function refusal(tooLarge: readonly JobRequest[], target: Target | null): string {
  const names = tooLarge.map(({ name }) => name).join(', ');
  const fitsAlone =
    target !== null &&
    target.busyMiB > 0 &&
    tooLarge.every(({ estimate }) => (estimate?.bytes.high ?? Infinity) <= target.usableMiB * MIB);
  return fitsAlone
    ? `${names}: does not fit next to what the GPU holds now, so it was not started. Add --queue to wait for it.`
    : `${names}: does not fit, so it was not started. Find settings that fit with headroom optimize, or add --force.`;
}

/** Commander mixes the arguments after `--` with the others. */
function split(words: readonly string[]): { configs: readonly string[]; extra: readonly string[] } {
  const given = process.argv.indexOf('--');
  const extra = given < 0 ? [] : process.argv.slice(given + 1);
  return { configs: words.slice(0, words.length - extra.length), extra };
}

interface Here {
  readonly session: Session;
  /** The GPUs of this machine; null: none was found. */
  readonly target: Target | null;
}

async function requestOf(
  machine: Here,
  file: string,
  extra: readonly string[],
  options: RunOptions,
): Promise<JobRequest> {
  const { analysis, opened } = await runIn(machine, file, options);
  const uuids = options.gpu ?? [];
  const count = uuids.length > 0 ? uuids.length : (options.gpus ?? gpusOf(analysis));
  const folder = corePath(process.cwd());
  const place = placeOf(options);
  const result = launchOf(analysis.run, opened, {
    gpus: Math.max(1, count),
    folder,
    filled: filledIn(options),
    own: ownProgram(place),
  });
  if (!result.ok) throw new BadInput(`${file}: ${result.why}`);
  const { launch } = result;
  if (launch.open.length > 0) throw new BadInput(openWords(file, launch));
  const environment = pairs(options.env ?? [], '--env');
  const command = { ...launch, folder: process.cwd(), environment: { ...process.env, ...environment } };
  const here =
    place.engine === 'local' && !launch.isOwn ? await commandHere(command) : { ...launch, why: null };
  // A dry run also shows the command if its environment is not active.
  if (here.why !== null && !options.dryRun) throw new BadInput(`${file}: ${here.why}`);
  const found = { ...launch, argv: here.argv, resume: here.resume };
  return trainingRequest(analysis, found, {
    file,
    folder: process.cwd(),
    place,
    gpus: { count, uuids },
    pace: secondsOfStep(analysis),
    extra,
    environment,
    secrets: options.secret ?? [],
    limits: limitsOf(options),
    version,
    measuredIn: await measurementsFor(resolve(file), process.cwd(), options.keepMeasured),
  });
}

const MIB_IN_GB = 1024;

/** The scheduler limits. Slurm and Ray count memory in powers of two. */
function limitsOf({ time, mem, cpus, requeue }: RunOptions) {
  return {
    timeMinutes: time ?? null,
    memoryMiB: mem === undefined ? null : Math.ceil(mem * MIB_IN_GB),
    cpus: cpus ?? null,
    requeue: requeue ?? false,
  };
}

/**
 * The chosen run: the only one, the named one, or, for a script that starts several, the one that needs most
 * memory.
 */
async function runIn({ session, target }: Here, file: string, options: RunOptions) {
  const all = await session.readable(corePath(file), target);
  const judged = all.runs.filter(one => one.judged);
  const named =
    options.run === undefined ? judged : judged.filter(({ run: one }) => one.name === options.run);
  const need = (one: RunAnalysis): number => one.estimate?.devices[0]?.device.expected ?? 0;
  const [analysis, second] = named.toSorted((a, b) => need(b) - need(a));
  if (!analysis) {
    throw new BadInput(options.run === undefined ? noRun(all) : `${file}: no run named ${options.run}.`);
  }
  if (second && analysis.run.launched === undefined) {
    const names = judged.map(({ run: one }) => `"${one.name}"`).join(', ');
    throw new BadInput(`${file} has several runs. Choose one with --run: ${names}.`);
  }
  const opened: Opened = { file: corePath(file), dialect: all.dialect };
  return { analysis, opened };
}

const openWords = (file: string, { open }: RunLaunch): string =>
  `${file}: its command needs values from you: add ${open.map(word => `--set ${word.replace(/[{}]/g, '')}=…`).join(' ')}.`;

const filledIn = ({ set = [] }: RunOptions): Readonly<Record<string, string>> => pairs(set, '--set');

function pairs(given: readonly string[], option: string): Readonly<Record<string, string>> {
  const entries = given.map(text => {
    const at = text.indexOf('=');
    if (at < 1) throw new BadInput(`${option} ${text}: use NAME=VALUE.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** The command that starts Headroom's own CLI at a job's place: this one locally, else the one installed there. */
const ownProgram = ({ engine }: JobPlace): readonly string[] =>
  engine === 'local' ? [process.execPath, join(__dirname, 'cli.js')] : ['headroom'];
