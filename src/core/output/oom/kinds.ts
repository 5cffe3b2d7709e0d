import type { OomKind } from './report';

/** The meaning of a kind and its fixes, in full sentences. */
interface KindText {
  /** A single sentence, for use on its own. */
  readonly short: string;
  readonly meaning: string;
  readonly advice: string;
}

export const kindTexts: Readonly<Record<OomKind, KindText>> = {
  'gpu-shortage': {
    short: 'The GPU ran out of memory: the run needs more than the GPU has.',
    meaning: 'The GPU does not have enough memory for the request.',
    advice: 'Reduce the largest term: batch size, sequence length, checkpointing, precision or sharding.',
  },
  'gpu-fragmentation': {
    short:
      'The GPU’s memory is fragmented: torch holds enough, but not in one piece. Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.',
    meaning: 'The memory is fragmented: free and reserved memory together would have been enough.',
    advice:
      'Set PYTORCH_ALLOC_CONF=expandable_segments:True (on Linux with CUDA), or use batches of similar shapes.',
  },
  'gpu-neighbour': {
    short: 'The GPU ran out of memory because other processes use some of it.',
    meaning: 'Another process uses memory of the GPU. Without it, the request would have fit.',
    advice: 'Wait for the other process, or choose another GPU.',
  },
  'gpu-cap': {
    short: 'The process reached its own memory limit, which is below the GPU’s memory.',
    meaning: 'A memory limit of this process refused the request. The GPU itself has more.',
    advice: 'Raise or remove the limit: set_per_process_memory_fraction, or the watermark of MPS.',
  },
  'gpu-refused': {
    short:
      'The driver refused a request although memory was free. Check the kernel log (Xid) and the container’s limits.',
    meaning:
      'More memory was free than requested. The cause is the driver, a limit on one allocation, or a broken state.',
    advice: 'Restart the process. Check the driver and the container’s limits.',
  },
  'cublas-alloc': {
    short: 'cuBLAS found no GPU memory for its workspace: the run fills the GPU.',
    meaning: 'cuBLAS could not allocate its workspace. In nearly all cases, the GPU was full.',
    advice: 'Reduce the run’s memory. The first handle needs about 8 to 32 MiB outside torch.',
  },
  'cudnn-alloc': {
    short: 'cuDNN found no GPU memory for its workspace: the run fills the GPU.',
    meaning: 'cuDNN found no algorithm whose workspace fits. In nearly all cases, the GPU was full.',
    advice: 'Reduce the run’s memory.',
  },
  'nccl-alloc': {
    short: 'NCCL found no GPU memory for its buffers: the run fills the GPU.',
    meaning: 'NCCL could not allocate its buffers, which are outside torch’s memory.',
    advice: 'Leave 1 to 2 GiB of the GPU for communication, or reduce NCCL_BUFFSIZE.',
  },
  'kv-cache': {
    short: 'The KV cache of the longest sequence does not fit next to the weights.',
    meaning: 'The memory left for the KV cache is too small for one sequence of the maximum length.',
    advice: 'Reduce the maximum length, or raise the share of memory that the engine may use.',
  },
  'startup-reservation': {
    short: 'The GPU has less free memory than the share that the engine reserves.',
    meaning: 'When the engine started, less memory was free than the share that it reserves.',
    advice: 'Free the GPU, or reduce the share.',
  },
  'host-ram-kill': {
    short: 'The process was killed because the machine ran out of RAM, not because of GPU memory.',
    meaning: 'The process was killed (SIGKILL), probably because the machine ran out of RAM.',
    advice:
      'Check the kernel log. Use fewer workers and less prefetching, or load weights without a copy for each rank.',
  },
  'linux-oom-killer': {
    short: 'The kernel killed the process because the machine ran out of RAM, not because of GPU memory.',
    meaning:
      'The kernel killed the process: the machine’s RAM, or the memory limit of the process’s cgroup, was used up.',
    advice: 'Use fewer workers and less offloading, or raise the limit.',
  },
  'k8s-oomkilled': {
    short: 'Kubernetes killed the container because it reached its RAM limit.',
    meaning: 'The container reached its memory limit. This limit is for RAM, not for GPU memory.',
    advice: 'Raise resources.limits.memory, or use fewer workers.',
  },
  'slurm-oom': {
    short:
      'Slurm killed the job because it reached its RAM limit on the node (--mem), not because of GPU memory.',
    meaning:
      'The job reached the memory that it requested from Slurm. This limit is for RAM, not for GPU memory.',
    advice: 'Request more with --mem or --mem-per-gpu, or use fewer workers.',
  },
  'ray-oom': {
    short: 'Ray killed the process because its node ran out of RAM, not because of GPU memory.',
    meaning: 'Ray killed a worker before the node ran out of RAM.',
    advice: 'Start fewer workers on a node, or request more memory for each. Ray may retry automatically.',
  },
  'host-alloc': {
    short: 'The machine ran out of RAM, not of GPU memory.',
    meaning: 'An allocation of RAM failed.',
    advice: 'Read the data in parts, or use a machine with more RAM.',
  },
  shm: {
    short:
      'Shared memory (/dev/shm) is full: containers have 64 MB by default (--shm-size). Data loaders need more.',
    meaning: 'The container’s shared memory is too small for the data loader’s workers.',
    advice: 'Start the container with --ipc=host or a larger --shm-size, or mount a larger /dev/shm.',
  },
  'disk-full': {
    short: 'The disk is full.',
    meaning: 'The disk, or its quota, is full.',
    advice: 'Free space, or keep fewer checkpoints.',
  },
};
