/** The meaning of an amount of memory. */
export type Metric =
  /** torch.cuda.max_memory_allocated */
  | 'allocated'
  /** torch.cuda.max_memory_reserved: allocated, rounded to segments, with fragments. */
  | 'reserved'
  /** The amount that nvidia-smi shows for the process: reserved plus the CUDA context. */
  | 'device';

/** The purpose of memory. */
export type TermName =
  | 'weights'
  | 'adapters'
  | 'gradients'
  | 'optimizer states'
  | 'activations'
  | 'logits and loss'
  | 'kv cache'
  | 'communication'
  | 'temporaries'
  | 'inputs and buffers'
  | 'library workspace'
  | 'allocator slack'
  /** An engine that generates completions during training. */
  | 'rollout engine'
  /** NCCL's channels and all-reduce buffers, outside torch. */
  | 'communication buffers'
  | 'cuda graphs'
  | 'cuda context';

/** Terms outside torch's counters. */
export const OUTSIDE_TORCH: readonly TermName[] = [
  'rollout engine',
  'communication buffers',
  'cuda graphs',
  'cuda context',
];
