import type { OomKind } from './report';

/** The meaning of a kind and its fixes, in full sentences. */
export interface KindText {
  /** A single sentence, for use on its own. */
  readonly short: string;
  readonly meaning: string;
  readonly advice: string;
}

export const kindTexts: Readonly<Record<OomKind, KindText>> = {
  'gpu-shortage': {
    short: 'The GPU’s memory ran out: the run needs more than is there.',
    meaning: 'The GPU could not give what was asked for.',
    advice: 'Reduce the largest term: batch size, sequence length, checkpointing, precision or sharding.',
  },
  'gpu-fragmentation': {
    short:
      'The GPU’s memory ran out in pieces: enough was kept by torch, none of it in one piece. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True helps.',
    meaning: 'The bytes are there, but in pieces: free and reserved memory together would have been enough.',
    advice: 'Set PYTORCH_ALLOC_CONF=expandable_segments:True (on Linux with CUDA), or keep shapes alike.',
  },
  'gpu-neighbour': {
    short: 'The GPU’s memory ran out because other processes hold some of it.',
    meaning: 'Another process holds memory of the GPU; without it the request would have fitted.',
    advice: 'Wait for the other process, or choose another GPU.',
  },
  'gpu-cap': {
    short: 'The process reached the limit that it was given, below the GPU’s memory.',
    meaning: 'A limit on this process refused it, not the card.',
    advice: 'Raise or remove the limit: set_per_process_memory_fraction, or the watermark of MPS.',
  },
  'gpu-refused': {
    short:
      'The driver refused memory that was free: look at the kernel’s log (Xid), and at limits of the container.',
    meaning:
      'It was refused although more than the request was free: a driver, a limit on one allocation, or a broken state.',
    advice: 'Restart the process; look at the driver and at limits of the container.',
  },
  'cublas-alloc': {
    short: 'cuBLAS found no GPU memory for its workspace: the run fills the GPU to the brim.',
    meaning: 'cuBLAS could not get its workspace: nearly always the card was full.',
    advice: 'Make the run smaller; the first handle needs about 8 to 32 MiB outside torch.',
  },
  'cudnn-alloc': {
    short: 'cuDNN found no GPU memory for its workspace: the run fills the GPU to the brim.',
    meaning: 'cuDNN found no algorithm whose workspace fits: nearly always the card was full.',
    advice: 'Make the run smaller.',
  },
  'nccl-alloc': {
    short: 'NCCL found no GPU memory for its buffers: the run fills the GPU to the brim.',
    meaning: 'NCCL could not get its buffers, which lie outside torch’s memory.',
    advice: 'Leave 1 to 2 GiB of the card to communication, or set NCCL_BUFFSIZE lower.',
  },
  'kv-cache': {
    short: 'The KV cache of the longest sequence does not fit next to the weights.',
    meaning: 'What is left for the KV cache does not hold one sequence of the longest length.',
    advice: 'Lower the longest length, or raise the share of memory that the engine may take.',
  },
  'startup-reservation': {
    short: 'The share of the GPU that is to be reserved is not free: others hold some of it.',
    meaning: 'When the engine started, less memory was free than the share that it is told to take.',
    advice: 'Free the card, or lower the share.',
  },
  'host-ram-kill': {
    short: 'It was killed because the machine ran out of RAM, not because of GPU memory.',
    meaning: 'The process was killed (SIGKILL), probably because the machine ran out of RAM.',
    advice:
      'Look at the kernel’s log; use fewer workers and less prefetching, or load weights without a copy of each rank.',
  },
  'linux-oom-killer': {
    short: 'The kernel killed it because the machine ran out of RAM, not because of GPU memory.',
    meaning: 'The kernel killed the process: the machine’s memory, or the limit of its group, was used up.',
    advice: 'Use fewer workers and less offloading, or raise the limit.',
  },
  'k8s-oomkilled': {
    short: 'Kubernetes killed it for the memory limit of its container.',
    meaning: 'The container reached its memory limit. That is the machine’s memory, not the GPU’s.',
    advice: 'Raise resources.limits.memory, or use fewer workers.',
  },
  'slurm-oom': {
    short: 'Slurm killed it for the memory of its job on the node (--mem), not for that of a GPU.',
    meaning:
      'The job reached the memory that it asked Slurm for. That is the machine’s memory, not the GPU’s.',
    advice: 'Ask for more with --mem or --mem-per-gpu, or use fewer workers.',
  },
  'ray-oom': {
    short: 'Ray killed it for the memory of its node, not for that of a GPU.',
    meaning: 'Ray killed a worker before the node ran out of memory.',
    advice: 'Start fewer workers on a node, or ask for more memory for each; Ray may try again by itself.',
  },
  'host-alloc': {
    short: 'The machine’s own memory ran out, not that of a GPU.',
    meaning: 'An allocation of the machine’s memory was refused.',
    advice: 'Read data in parts, or take a machine with more memory.',
  },
  shm: {
    short:
      'Shared memory (/dev/shm) ran out: containers get 64 MB of it unless told (--shm-size), data loaders need more.',
    meaning: 'The shared memory of the container is too small for the workers of the data loader.',
    advice: 'Start the container with --ipc=host or a larger --shm-size, or mount a larger /dev/shm.',
  },
  'disk-full': {
    short: 'The disk is full.',
    meaning: 'The disk, or its quota, is full.',
    advice: 'Free space, or keep fewer checkpoints.',
  },
};
