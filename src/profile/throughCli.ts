import { ask } from './child';
import { ProfileError } from './answers';
import { targetInWords } from '../core/hardware/target';
import type { Target } from '../core/hardware/gpu';
import { NEVER } from '../core/signal';
import type { Signal } from '../core/signal';

/** The command line that ships next to the extension, and the Node that runs it. */
export interface CliPlace {
  readonly node: string;
  readonly cli: string;
}

/** One run of a saved config. */
export interface ProfiledFile {
  /** The workspace's folder, in which what is measured is kept. */
  readonly folder: string;
  /** Seen from there. */
  readonly file: string;
  readonly run: string;
  /** The GPUs that the run is judged against, which are not always those of this machine; null: none was chosen, and none is here. */
  readonly target: Target | null;
  /** Where a result is kept: for this workspace or for the user. */
  readonly keptFor: 'workspace' | 'user' | 'nobody';
  /** The function that builds the run's model, `module:function`; absent: the model is known. */
  readonly entry?: string;
}

const KEPT_FOR = { workspace: [], user: ['--user'], nobody: ['--no-keep'] } as const;

/** What a dry run came to. */
export interface DryRunAnswer {
  readonly peakBytes: number;
  readonly phase: string;
  readonly predictedBytes: number | null;
  readonly cached: boolean;
}

/** Longer than any dry run's own limit: that one says what was slow. */
const LIMIT_MS = 400_000;

/**
 * Dry runs and measurements by the command line: it has the whole memory model with it, so that the editor needs no second
 * one, and a heavy Python is a child of that process only.
 */
export async function dryRunThrough(
  place: CliPlace,
  asked: ProfiledFile,
  python: string,
  progress: (text: string) => void,
  signal: Signal,
): Promise<DryRunAnswer> {
  const named = python === '' ? [] : ['--python', python];
  const entry = asked.entry === undefined ? [] : [`--entry=${asked.entry}`];
  const options = ['--json', ...named, ...entry, ...KEPT_FOR[asked.keptFor]];
  const out = await called(place, asked, options, progress, signal);
  const [run] = runsOf(out);
  if (!run) throw new ProfileError('protocol', 'The dry run ended without an answer.');
  if (run.refused) throw new ProfileError('cannot', `Can't profile this run: ${run.refused.join('; ')}.`);
  const { peak, predicted = null, cached = false } = run;
  if (!peak) throw new ProfileError('protocol', 'The dry run ended without a memory peak.');
  return { peakBytes: peak.bytes, phase: peak.phase, predictedBytes: predicted?.bytes ?? null, cached };
}

/** Keeps what the user has seen; the answer is the comparison with what was computed. */
export const measuredThrough = (
  place: CliPlace,
  asked: ProfiledFile,
  size: string,
  signal: Signal,
): Promise<string> => {
  // What someone adds by hand is meant to be kept.
  const own = asked.keptFor === 'user' ? KEPT_FOR.user : [];
  return called(place, asked, [`--measured=${size}`, ...own], () => undefined, signal);
};

/** Forgets what was measured of a run: what the workspace keeps, and what the user does. */
export async function forgottenThrough(place: CliPlace, asked: ProfiledFile): Promise<string> {
  const said: string[] = [];
  for (const whose of [[], ['--user']]) {
    said.push(await called(place, asked, ['--forget', ...whose], () => undefined, NEVER));
  }
  return said.join(' ');
}

/** Writes the measurements that count for a config into a file. */
export const exportedThrough = (place: CliPlace, asked: ProfiledFile, to: string): Promise<string> =>
  called(place, asked, [`--export=${to}`], () => undefined, NEVER);

/** What was counted of a run's data, in sentences. */
export async function lengthsThrough(
  place: CliPlace,
  asked: ProfiledFile,
  progress: (text: string) => void,
  signal: Signal,
): Promise<string> {
  // What others hold of a GPU that is here now belongs to the verdict, and has no words.
  const target = asked.target?.kind === 'planned' ? asked.target : null;
  const out = await called(place, { ...asked, target }, ['--json', '--again'], progress, signal, 'lengths');
  const [run] = runsOf(out);
  if (!run) throw new ProfileError('protocol', 'The count ended without an answer.');
  if (run.refused) throw new ProfileError('cannot', `Couldn't count tokens: ${run.refused.join('; ')}.`);
  return run.says?.join(' ') ?? '';
}

async function called(
  { node, cli }: CliPlace,
  { folder, file, run, target }: ProfiledFile,
  options: readonly string[],
  progress: (text: string) => void,
  signal: Signal,
  verb: 'profile' | 'lengths' = 'profile',
): Promise<string> {
  const said: string[] = [];
  const lines: string[] = [];
  const which = run === '' ? [] : [`--run=${run}`];
  const ended = await ask(
    {
      executable: node,
      args: [cli, verb, ...options, ...which, ...onTarget(target), '--no-color', '--', file],
      input: '',
      folder,
      environment: { ELECTRON_RUN_AS_NODE: '1' },
      timeoutMs: LIMIT_MS,
      stderrLine: text => {
        said.push(text);
        progress(text.replace(/ …$/, ''));
      },
    },
    signal,
    text => lines.push(text),
  );
  if (ended.why === 'aborted') throw new ProfileError('aborted', 'It was canceled.');
  // 2 is the answer of a run that cannot be followed; the sentence is in it.
  if (ended.why === 'exited' && (ended.exitCode === 0 || lines.length > 0)) return lines.join('\n');
  throw new ProfileError('failed', said.at(-1) ?? "Headroom's command line did not answer.");
}

/** Else the command line takes the GPU that it finds here. In one word each: a name never becomes another option. */
function onTarget(target: Target | null): readonly string[] {
  const gpu = target && targetInWords(target);
  if (target === null || gpu === null) return [];
  return [`--gpu=${gpu}`, ...(target.count === null ? [] : [`--gpus=${target.count}`])];
}

interface ToldRun {
  readonly says?: readonly string[];
  readonly refused?: readonly string[];
  readonly peak?: { readonly phase: string; readonly bytes: number };
  readonly predicted?: { readonly bytes: number } | null;
  readonly cached?: boolean;
}

function runsOf(text: string): readonly ToldRun[] {
  try {
    return (JSON.parse(text) as { readonly runs: readonly ToldRun[] }).runs;
  } catch {
    return [];
  }
}
