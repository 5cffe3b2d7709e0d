import type { Target } from '../core/hardware/gpu';
import { shellLine } from '../core/launch/words';
import { formatBytes, formatCapacity, formatRange, gigabytes } from '../core/units';
import { verdictWord } from '../core/memory/words';
import type { JobEstimate, JobRequest } from './job';
import { sealed } from './secrets';
import { limitsOf, limitsText } from './limitsText';
import { placeName } from './job';
import { MIB } from '../core/units';
import { english, told } from '../core/text/say';
import { gpusText } from '../core/hardware/describe';
import { commas } from '../core/text/lists';
import type { Say } from '../core/text/say';

/** A GPU in its current state. */
interface SeenGpu {
  readonly index: number;
  readonly name: string;
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
}

/** Whether a run can start, and what prevents it. */
export type Outlook =
  | 'goes'
  /** It fits the GPU, but not what is free now: it waits in the queue. */
  | 'waits'
  /** The same without a queue: it would run out of memory. */
  | 'crowded'
  /** It does not fit at all: it starts only with --force. */
  | 'refused'
  /** It needs a GPU, and there is none. */
  | 'no GPU'
  | 'unknown';

/** What is known about the place in addition to the request. */
interface StartFacts {
  /** The GPUs that were considered. */
  readonly gpus: readonly SeenGpu[];
  /** One of the GPUs in that place. */
  readonly target: Pick<Target, 'name' | 'totalMiB'> | null;
  readonly outlook: Outlook;
  /** Where the work runs in parts although the job itself is local; absent: in the job's own place. */
  readonly where?: string;
  /** What the engine does in addition to the command. */
  readonly also: readonly string[];
}

type StartRow = readonly [label: string, texts: readonly string[]];

/** Everything to know before a start, in the editor and in the CLI. */
export interface StartView {
  readonly title: string;
  /** Quoted for a shell. */
  readonly command: string;
  /** Rows with content, in order. */
  readonly rows: readonly StartRow[];
}

/** The start screen: the exact command, where it runs, what it needs, names of variables, what is written. */
export function startView(given: JobRequest, facts: StartFacts, say: Say = english): StartView {
  const { request } = sealed(given);
  const { folder, writes } = request;
  const rows: readonly StartRow[] = [
    [say('Folder'), [folder]],
    [say('Where'), [facts.where ?? whereText(say, request, facts)]],
    [say('Needs'), needText(say, request, facts)],
    [say('Requests'), askText(say, request)],
    [say('Environment'), environmentText(say, request)],
    [say('Writes'), writes.length > 0 ? writes : [say('not set in the config')]],
    [say('Also'), facts.also.map(text => told(say, text))],
  ];
  return {
    title: titleOf(say, request, facts.outlook),
    command: shellLine(request.argv),
    rows: rows.filter(([, texts]) => texts.length > 0),
  };
}

function titleOf(say: Say, { name, estimate, gpus }: JobRequest, outlook: Outlook): string {
  if (outlook === 'crowded') return say('“{0}” fits the GPU, but not with what runs on it now.', name);
  if (outlook === 'no GPU') return say('“{0}” needs a GPU, and this machine has none.', name);
  if (outlook !== 'refused' || estimate === null) return say('Start “{0}”?', name);
  const need = formatBytes(estimate.bytes.expected);
  return gpus.count > 1
    ? say('“{0}” needs ≈ {1} per GPU and does not fit.', name, need)
    : say('“{0}” needs ≈ {1} and does not fit.', name, need);
}

function whereText(
  say: Say,
  { place, gpus: { count, uuids, type } }: JobRequest,
  { gpus, target, outlook }: StartFacts,
): string {
  const where = placeName(place, say);
  if (count === 0 || outlook === 'no GPU') return say('{0} (no GPU)', where);
  if (gpus.length > 0) {
    const all = commas(
      say,
      gpus.map(gpu => gpuText(say, gpu)),
    );
    return place.engine === 'local' ? say('{0}, most free now: {1}', where, all) : commas(say, [where, all]);
  }
  if (uuids.length > 0) return commas(say, [where, ...uuids]);
  const kind = type ?? target?.name;
  const many = gpusText(say, count);
  return commas(say, [where, kind === undefined ? many : say('{0} ({1})', many, kind)]);
}

/** `GPU 0 (RTX 4090, 22.1 of 24 GB free)`. */
function gpuText(say: Say, { index, name, totalBytes, freeBytes }: SeenGpu): string {
  const total = totalBytes === null ? '' : formatCapacity(totalBytes);
  const room = freeBytes === null ? total : say('{0} of {1} free', gigabytes(freeBytes), total);
  const facts = [name.replace(/^NVIDIA (?=\S)/, ''), room].filter(Boolean);
  return say('GPU {0} ({1})', index, commas(say, facts));
}

function needText(
  say: Say,
  { estimate, gpus, place }: JobRequest,
  { target, outlook }: StartFacts,
): readonly string[] {
  if (estimate === null) return gpus.count === 0 ? [] : [say('GPU memory unknown')];
  const { low, expected, high } = estimate.bytes;
  const need = say('≈ {0} per GPU ({1})', formatBytes(expected), formatRange(low, high));
  if (target === null && outlook === 'goes' && limitsOf(place).length > 0) {
    return [
      say('{0}: {1} the target GPU; the actual GPU is unknown', need, verdictWord(say, estimate.verdict)),
    ];
  }
  const is = outlookText(say, estimate, outlook);
  return [
    target
      ? say('{0}, of {1}: {2}', need, formatCapacity(target.totalMiB * MIB), is)
      : say('{0}: {1}', need, is),
  ];
}

function outlookText(say: Say, { verdict }: JobEstimate, outlook: Outlook): string {
  if (outlook === 'waits') {
    return say('fits the GPU, but not with what runs on it now; the job waits for free memory');
  }
  if (outlook === 'crowded') return say('fits the GPU, but not with what runs on it now');
  if (outlook === 'refused') return verdictWord(say, 'exceeds');
  if (outlook === 'no GPU') return say('no GPU found here');
  return verdictWord(say, verdict);
}

/** The requested scheduler limits; empty without a scheduler. */
function askText(say: Say, { place, limits }: JobRequest): readonly string[] {
  if (limitsOf(place).length === 0) return [];
  const texts = limitsText(limits, say);
  if (texts.length > 0) return texts;
  return place.engine === 'slurm'
    ? [say("the partition's defaults for time, CPUs and memory")]
    : [say("the cluster's defaults for CPUs and memory")];
}

/** Only names: values may be confidential. */
function environmentText(say: Say, { environment, secrets, gpus, place }: JobRequest): readonly string[] {
  const isGiven = gpus.uuids.length > 0 || (place.engine === 'local' && gpus.count > 0);
  const own = isGiven ? ['CUDA_VISIBLE_DEVICES'] : [];
  const names = [...new Set([...own, ...Object.keys(environment)])];
  const texts = [
    ...(names.length > 0 ? [commas(say, names)] : []),
    ...(secrets.length > 0 ? [say('secrets: {0}', commas(say, secrets))] : []),
  ];
  return texts.length > 0 ? texts : [say('current shell')];
}
