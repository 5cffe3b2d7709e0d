import type { Target } from '../core/hardware/gpu';
import { shellLine } from '../core/launch/words';
import { formatBytes, formatCapacity, formatRange, gigabytes } from '../core/units';
import { verdictWord } from '../core/memory/words';
import type { JobEstimate, JobRequest } from './job';
import { sealed } from './secrets';
import { limitsOf, limitsText } from './limitsText';
import { placeName } from './job';
import { MIB } from '../core/units';
import { english } from '../core/text/say';

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
export function startView(given: JobRequest, facts: StartFacts): StartView {
  const { request } = sealed(given);
  const { folder, writes } = request;
  const rows: readonly StartRow[] = [
    ['Folder', [folder]],
    ['Where', [facts.where ?? whereText(request, facts)]],
    ['Needs', needText(request, facts)],
    ['Requests', askText(request)],
    ['Environment', environmentText(request)],
    ['Writes', writes.length > 0 ? writes : ['not set in the config']],
    ['Also', facts.also],
  ];
  return {
    title: titleOf(request, facts.outlook),
    command: shellLine(request.argv),
    rows: rows.filter(([, texts]) => texts.length > 0),
  };
}

function titleOf({ name, estimate, gpus }: JobRequest, outlook: Outlook): string {
  if (outlook === 'crowded') return `“${name}” fits the GPU, but not with what runs on it now.`;
  if (outlook === 'no GPU') return `“${name}” needs a GPU, and this machine has none.`;
  if (outlook !== 'refused' || estimate === null) return `Start “${name}”?`;
  const need = formatBytes(estimate.bytes.expected);
  return `“${name}” needs ≈ ${need}${gpus.count > 1 ? ' per GPU' : ''} and does not fit.`;
}

function whereText(
  { place, gpus: { count, uuids, type } }: JobRequest,
  { gpus, target, outlook }: StartFacts,
): string {
  const where = placeName(place);
  if (count === 0 || outlook === 'no GPU') return `${where} (no GPU)`;
  if (gpus.length > 0) {
    const now = place.engine === 'local' ? 'most free now: ' : '';
    return `${where}, ${now}${gpus.map(gpuText).join(', ')}`;
  }
  if (uuids.length > 0) return `${where}, ${uuids.join(', ')}`;
  const kind = type ?? target?.name;
  const many = count === 1 ? '1 GPU' : `${count} GPUs`;
  return kind === undefined ? `${where}, ${many}` : `${where}, ${many} (${kind})`;
}

/** `GPU 0 (RTX 4090, 22.1 of 24 GB free)`. */
function gpuText({ index, name, totalBytes, freeBytes }: SeenGpu): string {
  const total = totalBytes === null ? '' : formatCapacity(totalBytes);
  const room = freeBytes === null ? total : `${gigabytes(freeBytes)} of ${total} free`;
  return `GPU ${index} (${[name.replace(/^NVIDIA (?=\S)/, ''), room].filter(Boolean).join(', ')})`;
}

function needText({ estimate, gpus, place }: JobRequest, { target, outlook }: StartFacts): readonly string[] {
  if (estimate === null) return gpus.count === 0 ? [] : ['GPU memory unknown'];
  const { low, expected, high } = estimate.bytes;
  const need = `≈ ${formatBytes(expected)} per GPU (${formatRange(low, high)})`;
  if (target === null && outlook === 'goes' && limitsOf(place).length > 0) {
    return [`${need}: ${verdictWord(english, estimate.verdict)} the target GPU; the actual GPU is unknown`];
  }
  const of = target ? `, of ${formatCapacity(target.totalMiB * MIB)}` : '';
  return [`${need}${of}: ${outlookText(estimate, outlook)}`];
}

function outlookText({ verdict }: JobEstimate, outlook: Outlook): string {
  if (outlook === 'waits') {
    return 'fits the GPU, but not with what runs on it now; the job waits for free memory';
  }
  if (outlook === 'crowded') return 'fits the GPU, but not with what runs on it now';
  if (outlook === 'refused') return verdictWord(english, 'exceeds');
  if (outlook === 'no GPU') return 'no GPU found here';
  return verdictWord(english, verdict);
}

/** The requested scheduler limits; empty without a scheduler. */
function askText({ place, limits }: JobRequest): readonly string[] {
  if (limitsOf(place).length === 0) return [];
  const texts = limitsText(limits);
  if (texts.length > 0) return texts;
  return place.engine === 'slurm'
    ? ["the partition's defaults for time, CPUs and memory"]
    : ["the cluster's defaults for CPUs and memory"];
}

/** Only names: values may be confidential. */
function environmentText({ environment, secrets, gpus, place }: JobRequest): readonly string[] {
  const isGiven = gpus.uuids.length > 0 || (place.engine === 'local' && gpus.count > 0);
  const own = isGiven ? ['CUDA_VISIBLE_DEVICES'] : [];
  const names = [...new Set([...own, ...Object.keys(environment)])];
  const texts = [
    ...(names.length > 0 ? [names.join(', ')] : []),
    ...(secrets.length > 0 ? [`secrets: ${secrets.join(', ')}`] : []),
  ];
  return texts.length > 0 ? texts : ['current shell'];
}
