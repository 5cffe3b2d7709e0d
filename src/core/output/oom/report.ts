/** The kind of memory that ran out, and why. */
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

/** The allocator that reports the error; null for CUDA and the host. */
export type OomBackend = 'rocm' | 'mps' | 'xpu' | 'npu' | 'xla' | 'tensorflow' | 'paddle';

export type OomPhase =
  | 'load'
  | 'forward'
  | 'loss'
  | 'backward'
  | 'optimizer'
  | 'eval'
  | 'save'
  | 'generate'
  | 'startup';

/** The memory term that ran out. */
export type OomOwner = 'logits' | 'attention' | 'optimizer' | 'activations' | 'weights' | 'kv-cache';

export interface OtherProcess {
  readonly pid: number;
  readonly bytes: number;
}

/** The amounts that an out-of-memory text states; null if it does not. */
export interface OomNumbers {
  readonly triedBytes: number | null;
  /** The device's; after a scheduler's kill, the node's or the job's. */
  readonly capacityBytes: number | null;
  readonly freeBytes: number | null;
  /** Torch's own: allocated, reserved but unallocated, and their sum if only that is printed. */
  readonly allocatedBytes: number | null;
  readonly reservedUnallocatedBytes: number | null;
  readonly reservedTotalBytes: number | null;
  /** The whole process with its context; for a killed process, what it held. */
  readonly processBytes: number | null;
  readonly otherAllocationsBytes: number | null;
  /** This process's part if `allocatedBytes` is for the whole device, as in Paddle. */
  readonly ownAllocatedBytes: number | null;
  /** The limit of this process if it is lower than the card's. */
  readonly allowedBytes: number | null;
  readonly gpuIndex: number | null;
  readonly rank: number | null;
  /** Other processes that torch lists. In a container one of them may be this one, because its pid differs. */
  readonly otherProcesses: readonly OtherProcess[];
}

/** An out-of-memory error in an output. */
export interface OomReport {
  readonly kind: OomKind;
  /** Kinds that also apply. */
  readonly also: readonly OomKind[];
  readonly backend: OomBackend | null;
  readonly numbers: OomNumbers;
  /** Null if no frame or message tells. */
  readonly phase: OomPhase | null;
  readonly owner: OomOwner | null;
}
