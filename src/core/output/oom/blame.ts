import type { OomKind, OomOwner, OomPhase, OomReport } from './report';

/** Which memory ran out; it decides what helps. */
type OomSide =
  /** The run requested more than the GPU has. */
  | 'gpu'
  /** Enough bytes are free, but fragmented. */
  | 'pieces'
  /** Other processes hold them. */
  | 'neighbour'
  /** Host RAM, or its limit. */
  | 'host'
  | 'disk';

const SIDES: Readonly<Partial<Record<OomKind, OomSide>>> = {
  'gpu-fragmentation': 'pieces',
  'gpu-neighbour': 'neighbour',
  'startup-reservation': 'neighbour',
  'host-ram-kill': 'host',
  'linux-oom-killer': 'host',
  'k8s-oomkilled': 'host',
  'slurm-oom': 'host',
  'ray-oom': 'host',
  'host-alloc': 'host',
  shm: 'host',
  'disk-full': 'disk',
};

export const sideOf = (kind: OomKind): OomSide => SIDES[kind] ?? 'gpu';

/** The term that usually grows in a phase, if nothing else is known. */
const OF_PHASE: Readonly<Partial<Record<OomPhase, OomOwner>>> = {
  load: 'weights',
  loss: 'logits',
  forward: 'activations',
  backward: 'activations',
  optimizer: 'optimizer',
  eval: 'activations',
  generate: 'kv-cache',
  startup: 'kv-cache',
};

/** The term that ran out; null if neither frames nor messages tell. */
export const brokenTerm = ({ owner, phase }: OomReport): OomOwner | null =>
  owner ?? (phase === null ? null : (OF_PHASE[phase] ?? null));

/** Keys that decide the size of a term, most relevant first; in the format of `Report.at`. */
export const KEYS_OF_TERM: Readonly<Record<OomOwner, readonly string[]>> = {
  logits: ['quantity:microBatchSize', 'quantity:seqLen'],
  attention: ['quantity:attention', 'quantity:seqLen', 'quantity:microBatchSize'],
  optimizer: ['quantity:optimizer', 'quantity:zeroStage', 'quantity:microBatchSize'],
  activations: ['quantity:microBatchSize', 'quantity:seqLen', 'quantity:gradientCheckpointing'],
  weights: ['quantity:loadDtype', 'quantity:quantization', 'quantity:model'],
  'kv-cache': ['gpu_memory_utilization', 'max_model_len', 'quantity:seqLen', 'quantity:model'],
};

/** Keys that decide memory other than the run's GPU memory. */
export const KEYS_OF_SIDE: Readonly<Record<Exclude<OomSide, 'gpu'>, readonly string[]>> = {
  pieces: ['quantity:microBatchSize', 'quantity:seqLen'],
  neighbour: ['gpu_memory_utilization', 'quantity:microBatchSize', 'quantity:model'],
  host: ['quantity:numWorkers', 'quantity:offload', 'quantity:microBatchSize'],
  disk: ['output_dir', 'quantity:model'],
};

/** The device bytes that the run held and requested when it failed: a lower bound of its need. Null if unknown. */
export function provenNeedBytes({ numbers }: OomReport): number | null {
  const { processBytes, allocatedBytes, reservedTotalBytes, reservedUnallocatedBytes, triedBytes } = numbers;
  const pooled =
    reservedTotalBytes ?? (allocatedBytes === null ? null : allocatedBytes + (reservedUnallocatedBytes ?? 0));
  const held = processBytes ?? pooled;
  return held === null || triedBytes === null ? null : held + triedBytes;
}
