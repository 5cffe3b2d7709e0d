/** What ran out, and why. */
export type OomKind =
  | 'gpu-shortage'
  | 'gpu-fragmentation'
  | 'gpu-neighbour'
  | 'gpu-cap'
  | 'gpu-refused'
  | 'cublas-alloc'
  | 'cudnn-alloc'
  | 'nccl-alloc'
  | 'kv-cache'
  | 'startup-reservation'
  | 'host-ram-kill'
  | 'linux-oom-killer'
  | 'k8s-oomkilled'
  | 'slurm-oom'
  | 'ray-oom'
  | 'host-alloc'
  | 'shm'
  | 'disk-full';

/** Whose allocator speaks; CUDA, or the host, has none. */
export type OomBackend = 'rocm' | 'mps' | 'xpu' | 'npu' | 'xla' | 'tensorflow' | 'paddle';

export type OomPhase =
  'load' | 'forward' | 'loss' | 'backward' | 'optimizer' | 'eval' | 'save' | 'generate' | 'startup';

/** The term of the memory that broke. */
export type OomOwner = 'logits' | 'attention' | 'optimizer' | 'activations' | 'weights' | 'kv-cache';

export interface OtherProcess {
  readonly pid: number;
  readonly bytes: number;
}

/** The amounts of an out-of-memory text as it states them; null where it does not. */
export interface OomNumbers {
  readonly triedBytes: number | null;
  /** Of the device; of the node or the job where a scheduler killed. */
  readonly capacityBytes: number | null;
  readonly freeBytes: number | null;
  /** Torch's own: in tensors, kept next to them, and both where only the sum is printed. */
  readonly allocatedBytes: number | null;
  readonly reservedUnallocatedBytes: number | null;
  readonly reservedTotalBytes: number | null;
  /** The whole process, with its context; of a killed one what it held. */
  readonly processBytes: number | null;
  readonly otherAllocationsBytes: number | null;
  /** This process's part where `allocatedBytes` is of the whole device, as Paddle says it. */
  readonly ownAllocatedBytes: number | null;
  /** The limit of this process, where there is one below the card's. */
  readonly allowedBytes: number | null;
  readonly gpuIndex: number | null;
  readonly rank: number | null;
  /** Processes that torch lists in addition to itself. In a container one of them may be itself: its pid differs there. */
  readonly otherProcesses: readonly OtherProcess[];
}

/** What an output says about memory that ran out. */
export interface OomReport {
  readonly kind: OomKind;
  /** Kinds that hold as well. */
  readonly also: readonly OomKind[];
  readonly backend: OomBackend | null;
  readonly numbers: OomNumbers;
  /** Null where no frame and no sentence tells. */
  readonly phase: OomPhase | null;
  readonly owner: OomOwner | null;
}
