import { ask } from './child';
import { ProfileError } from './answers';
import { targetText } from '../core/hardware/target';
import type { Target } from '../core/hardware/gpu';
import { NEVER } from '../core/signal';
import type { Signal } from '../core/signal';

/** The CLI that ships with the extension, and the Node that runs it. */
export interface CliPlace {
  readonly node: string;
  readonly cli: string;
}

/** One run of a saved config. */
export interface ProfiledFile {
  /** The workspace folder, in which measurements are kept. */
  readonly folder: string;
  /** Relative to `folder`. */
  readonly file: string;
  readonly run: string;
  /**
   * The target of the run, which may differ from this machine's GPUs; null: none was chosen, and this machine has
   * none.
   */
  readonly target: Target | null;
  /** Where a result is kept: for this workspace or for the user. */
  readonly keptFor: 'workspace' | 'user' | 'nobody';
  /** The function that builds the run's model, `module:function`; absent: the model is known. */
  readonly entry?: string;
}

const KEPT_FOR = { workspace: [], user: ['--user'], nobody: ['--no-keep'] } as const;

/** The result of a dry run. */
export interface DryRunAnswer {
  readonly peakBytes: number;
  readonly phase: string;
  readonly predictedBytes: number | null;
  readonly cached: boolean;
}

/** Longer than any dry run's own limit, whose message says what was slow. */
const LIMIT_MS = 400_000;

/**
 * Dry runs and measurements through the CLI: it already contains the whole memory model, so the editor needs no
 * second copy, and a heavy Python is a child only of that process.
 */
export async function dryRunThrough(
  place: CliPlace,
  subject: ProfiledFile,
  python: string,
  progress: (text: string) => void,
  signal: Signal,
): Promise<DryRunAnswer> {
  const named = python === '' ? [] : ['--python', python];
  const entry = subject.entry === undefined ? [] : [`--entry=${subject.entry}`];
  const options = ['--json', ...named, ...entry, ...KEPT_FOR[subject.keptFor]];
  const out = await called(place, subject, options, progress, signal);
  const [run] = runsOf(out);
  if (!run) throw new ProfileError('protocol', 'The dry run ended without an answer.');
  if (run.refused) throw new ProfileError('cannot', `Can't profile this run: ${run.refused.join('; ')}.`);
  const { peak, predicted = null, cached = false } = run;
  if (!peak) throw new ProfileError('protocol', 'The dry run ended without a memory peak.');
  return { peakBytes: peak.bytes, phase: peak.phase, predictedBytes: predicted?.bytes ?? null, cached };
}

/** A process: program, arguments, folder and variables. */
export interface ProcessWords {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** It asks a question in its terminal. */
  readonly asks: boolean;
}

/** The process that runs a program dry and keeps its result for the run; the user has agreed to the command. */
export const programThrough = (
  place: CliPlace,
  subject: ProfiledFile,
  python: string,
  command: readonly string[],
): ProcessWords =>
  profileProcess(place, subject, ['--yes', ...(python === '' ? [] : ['--python', python])], command);

/** A host or a part of a cluster, as its id in the fleet says: `ssh:box`, `slurm:local`, `ray:10.0.0.7:8265`. */
export interface OtherMachine {
  readonly engine: 'ssh' | 'slurm' | 'ray';
  readonly host: string;
  readonly partition: string | null;
  /** The file of ssh's settings; empty: ssh's own. */
  readonly sshConfig: string;
}

/**
 * The process that profiles on another machine: runs a command dry, or probes if it is null. In its terminal it lists
 * what it copies there, and asks.
 */
export const elsewhereThrough = (
  place: CliPlace,
  subject: ProfiledFile,
  where: OtherMachine,
  command: readonly string[] | null,
): ProcessWords => {
  const entry = subject.entry === undefined ? [] : [`--entry=${subject.entry}`];
  // After the place, since the next word could become the value of a bare --slurm.
  const options = [...machineArguments(where), ...(command ? ['--program'] : ['--probe', ...entry])];
  return profileProcess(place, subject, options, command ?? []);
};

function machineArguments({ engine, host, partition, sshConfig }: OtherMachine): readonly string[] {
  const name = host.slice(host.indexOf(':') + 1);
  const config = sshConfig === '' ? [] : [`--ssh-config=${sshConfig}`];
  switch (engine) {
    case 'ssh':
      return [...config, `--host=${name}`];
    case 'slurm': {
      const part = partition === null ? [] : [`--partition=${partition}`];
      return [...config, ...part, name === 'local' ? '--slurm' : `--slurm=${name}`];
    }
    case 'ray': {
      const address = decodeURIComponent(name);
      // Ids omit the scheme if it is http.
      return [`--ray=${/^https?:\/\//.test(address) ? address : `http://${address}`}`];
    }
  }
}

function profileProcess(
  { node, cli }: CliPlace,
  { folder, file, run, target, keptFor }: ProfiledFile,
  first: readonly string[],
  command: readonly string[],
): ProcessWords {
  const which = run === '' ? [] : [`--run=${run}`];
  const options = [...first, ...which, ...targetArguments(target), ...KEPT_FOR[keptFor]];
  // A name that begins with a dash must not become an option.
  const safe = file.startsWith('-') ? `./${file}` : file;
  return {
    program: node,
    args: [cli, 'profile', ...options, safe, ...(command.length > 0 ? ['--', ...command] : [])],
    folder,
    environment: { ELECTRON_RUN_AS_NODE: '1' },
    asks: first.includes('--program'),
  };
}

/** Stores a peak that the user observed; returns its comparison with the estimate. */
export const measuredThrough = (
  place: CliPlace,
  subject: ProfiledFile,
  { size, metric }: { readonly size: string; readonly metric: string },
  signal: Signal,
): Promise<string> => {
  // A measurement added by hand is always kept.
  const own = subject.keptFor === 'user' ? KEPT_FOR.user : [];
  return called(
    place,
    subject,
    [`--measured=${size}`, `--metric=${metric}`, ...own],
    () => undefined,
    signal,
  );
};

/** Removes a run's measurements: the workspace's and the user's. */
export async function forgottenThrough(place: CliPlace, subject: ProfiledFile): Promise<string> {
  const answers: string[] = [];
  for (const scope of [[], ['--user']]) {
    answers.push(await called(place, subject, ['--forget', ...scope], () => undefined, NEVER));
  }
  return answers.join(' ');
}

/** Writes the measurements that apply to a config to a file. */
export const exportedThrough = (place: CliPlace, subject: ProfiledFile, to: string): Promise<string> =>
  called(place, subject, [`--export=${to}`], () => undefined, NEVER);

/** The length counts of a run's data, in sentences. */
export async function lengthsThrough(
  place: CliPlace,
  subject: ProfiledFile,
  progress: (text: string) => void,
  signal: Signal,
): Promise<string> {
  // The memory that others hold on a present GPU matters only for the verdict, and has no option.
  const target = subject.target?.kind === 'planned' ? subject.target : null;
  const out = await called(place, { ...subject, target }, ['--json', '--again'], progress, signal, 'lengths');
  const [run] = runsOf(out);
  if (!run) throw new ProfileError('protocol', 'The count ended without an answer.');
  if (run.refused) throw new ProfileError('cannot', `Couldn't count tokens: ${run.refused.join('; ')}.`);
  return run.says?.join(' ') ?? '';
}

/** A folder with logs of past runs, and where measurements are kept. */
export interface LogFolder {
  /** The workspace folder. */
  readonly folder: string;
  readonly logs: string;
  readonly keptFor: ProfiledFile['keptFor'];
}

/** A past run as the command line lists it. */
export interface ListedRun {
  readonly run: string;
  readonly at: string | null;
  readonly gpu: { readonly name: string } | null;
  readonly model: string | null;
  readonly memory: readonly {
    readonly metric: string;
    readonly bytes: number;
    readonly predicted: number | null;
  }[];
  readonly secondsPerStep: number | null;
  /** The measurements that can be kept of it. */
  readonly keeps: number;
}

const subjectOfLogs = ({ folder, logs, keptFor }: LogFolder): ProfiledFile => ({
  ...{ folder, file: logs, run: '', target: null, keptFor },
});

/** The runs whose logs are in a folder. */
export async function pastRunsThrough(
  place: CliPlace,
  logs: LogFolder,
  signal: Signal,
): Promise<readonly ListedRun[]> {
  const out = await called(place, subjectOfLogs(logs), ['--json'], () => undefined, signal, 'history');
  return runsOf(out) as readonly unknown[] as readonly ListedRun[];
}

/** Keeps the measurements of the named runs; returns what was stored, as a sentence. */
export async function pastRunsKeptThrough(
  place: CliPlace,
  logs: LogFolder,
  runs: readonly string[],
): Promise<string> {
  const own = logs.keptFor === 'user' ? KEPT_FOR.user : [];
  const only = runs.map(run => `--only=${run}`);
  let last = '';
  await called(
    place,
    subjectOfLogs(logs),
    ['--keep', ...own, ...only],
    text => (last = text),
    NEVER,
    'history',
  );
  return last;
}

/** Measures what this machine's GPU reaches and keeps it; returns the rates, as a sentence. */
export const calibratedThrough = (
  place: CliPlace,
  { folder, keptFor }: Pick<ProfiledFile, 'folder' | 'keptFor'>,
  python: string,
  progress: (text: string) => void,
  signal: Signal,
): Promise<string> => {
  const named = python === '' ? [] : [`--python=${python}`];
  return answered(
    place,
    folder,
    ['calibrate', ...named, ...KEPT_FOR[keptFor], '--no-color'],
    progress,
    signal,
  );
};

function called(
  place: CliPlace,
  { folder, file, run, target }: ProfiledFile,
  options: readonly string[],
  progress: (text: string) => void,
  signal: Signal,
  verb: 'profile' | 'lengths' | 'history' = 'profile',
): Promise<string> {
  const which = run === '' ? [] : [`--run=${run}`];
  const words = [verb, ...options, ...which, ...targetArguments(target), '--no-color', '--', file];
  return answered(place, folder, words, progress, signal);
}

async function answered(
  { node, cli }: CliPlace,
  folder: string,
  words: readonly string[],
  progress: (text: string) => void,
  signal: Signal,
): Promise<string> {
  const messages: string[] = [];
  const lines: string[] = [];
  const ended = await ask(
    {
      executable: node,
      args: [cli, ...words],
      input: '',
      folder,
      environment: { ELECTRON_RUN_AS_NODE: '1' },
      timeoutMs: LIMIT_MS,
      stderrLine: text => {
        messages.push(text);
        progress(text.replace(/ …$/, ''));
      },
    },
    signal,
    text => lines.push(text),
  );
  if (ended.why === 'aborted') throw new ProfileError('aborted', 'It was canceled.');
  // Exit code 2 means that the run cannot be followed; the output says why.
  if (ended.why === 'exited' && (ended.exitCode === 0 || lines.length > 0)) return lines.join('\n');
  throw new ProfileError('failed', messages.at(-1) ?? "Headroom's command line did not answer.");
}

/**
 * Without a target, the CLI uses the GPU that it finds. One argument each, so that a name cannot become another
 * option.
 */
function targetArguments(target: Target | null): readonly string[] {
  const gpu = target && targetText(target);
  if (target === null || gpu === null) return [];
  return [`--gpu=${gpu}`, ...(target.count === null ? [] : [`--gpus=${target.count}`])];
}

interface PrintedRun {
  readonly says?: readonly string[];
  readonly refused?: readonly string[];
  readonly peak?: { readonly phase: string; readonly bytes: number };
  readonly predicted?: { readonly bytes: number } | null;
  readonly cached?: boolean;
}

function runsOf(text: string): readonly PrintedRun[] {
  try {
    return (JSON.parse(text) as { readonly runs: readonly PrintedRun[] }).runs;
  } catch {
    return [];
  }
}
