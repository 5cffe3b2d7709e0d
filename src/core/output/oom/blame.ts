import type { OomKind, OomOwner, OomPhase, OomReport } from './report';

/** Whose memory it was that ran out: what helps differs. */
export type OomSide =
  /** The run asked the GPU for more than there is. */
  | 'gpu'
  /** The bytes are there, in pieces. */
  | 'pieces'
  /** Others hold them. */
  | 'neighbour'
  /** The machine's memory, or its limit. */
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

/** Which term breaks in a phase where nothing says more. */
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

/** The term that broke; null where neither frames nor sentences tell. */
export const brokenTerm = ({ owner, phase }: OomReport): OomOwner | null =>
  owner ?? (phase === null ? null : (OF_PHASE[phase] ?? null));

/** Where a config decides how large a term is, most telling first: as `Report.at` has it. */
export const KEYS_OF_TERM: Readonly<Record<OomOwner, readonly string[]>> = {
  logits: ['quantity:microBatchSize', 'quantity:seqLen'],
  attention: ['quantity:attention', 'quantity:seqLen', 'quantity:microBatchSize'],
  optimizer: ['quantity:optimizer', 'quantity:zeroStage', 'quantity:microBatchSize'],
  activations: ['quantity:microBatchSize', 'quantity:seqLen', 'quantity:gradientCheckpointing'],
  weights: ['quantity:loadDtype', 'quantity:quantization', 'quantity:model'],
  'kv-cache': ['gpu_memory_utilization', 'max_model_len', 'quantity:seqLen', 'quantity:model'],
};

/** Where a config decides what a run takes in addition to its GPU. */
export const KEYS_OF_SIDE: Readonly<Record<Exclude<OomSide, 'gpu'>, readonly string[]>> = {
  pieces: ['quantity:microBatchSize', 'quantity:seqLen'],
  neighbour: ['gpu_memory_utilization', 'quantity:microBatchSize', 'quantity:model'],
  host: ['quantity:numWorkers', 'quantity:offload', 'quantity:microBatchSize'],
  disk: ['output_dir', 'quantity:model'],
};

/**
 * What the run held and asked for when it failed, bytes of the device: a lower bound of what it takes. Null where the text
 * does not say.
 */
export function provenNeedBytes({ numbers }: OomReport): number | null {
  const { processBytes, allocatedBytes, reservedTotalBytes, reservedUnallocatedBytes, triedBytes } = numbers;
  const pooled =
    reservedTotalBytes ?? (allocatedBytes === null ? null : allocatedBytes + (reservedUnallocatedBytes ?? 0));
  const held = processBytes ?? pooled;
  return held === null || triedBytes === null ? null : held + triedBytes;
}
