/** What an amount of memory means. */
export type Metric =
  /** torch.cuda.max_memory_allocated */
  | 'allocated'
  /** torch.cuda.max_memory_reserved: allocated, rounded to segments, with fragments. */
  | 'reserved'
  /** What nvidia-smi shows for the process: reserved and the CUDA context. */
  | 'device';

/** What memory is held for. */
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
  /** What an engine that writes completions during training holds. */
  | 'rollout engine'
  | 'cuda context';
