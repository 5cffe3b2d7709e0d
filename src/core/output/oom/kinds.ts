import type { OomKind } from './report';
import { template } from '../../text/say';
import type { Template } from '../../text/say';

/** The meaning of a kind and its fixes, in full sentences. */
interface KindText {
  /** A single sentence, for use on its own. */
  readonly short: Template;
  readonly meaning: Template;
  readonly advice: Template;
}

export const kindTexts: Readonly<Record<OomKind, KindText>> = {
  'gpu-shortage': {
    short: template('The GPU ran out of memory: the run needs more than the GPU has.'),
    meaning: template('The GPU does not have enough memory for the request.'),
    advice: template(
      'Reduce the largest term: batch size, sequence length, checkpointing, precision or sharding.',
    ),
  },
  'gpu-fragmentation': {
    short: template(
      'The GPU’s memory is fragmented: torch holds enough, but not in one piece. Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.',
    ),
    meaning: template('The memory is fragmented: free and reserved memory together would have been enough.'),
    advice: template(
      'Set PYTORCH_ALLOC_CONF=expandable_segments:True (on Linux with CUDA), or use batches of similar shapes.',
    ),
  },
  'gpu-neighbour': {
    short: template('The GPU ran out of memory because other processes use some of it.'),
    meaning: template('Another process uses memory of the GPU. Without it, the request would have fit.'),
    advice: template('Wait for the other process, or choose another GPU.'),
  },
  'gpu-cap': {
    short: template('The process reached its own memory limit, which is below the GPU’s memory.'),
    meaning: template('A memory limit of this process refused the request. The GPU itself has more.'),
    advice: template('Raise or remove the limit: set_per_process_memory_fraction, or the watermark of MPS.'),
  },
  'gpu-refused': {
    short: template(
      'The driver refused a request although memory was free. Check the kernel log (Xid) and the container’s limits.',
    ),
    meaning: template(
      'More memory was free than requested. The cause is the driver, a limit on one allocation, or a broken state.',
    ),
    advice: template('Restart the process. Check the driver and the container’s limits.'),
  },
  'cublas-alloc': {
    short: template('cuBLAS found no GPU memory for its workspace: the run fills the GPU.'),
    meaning: template('cuBLAS could not allocate its workspace. In nearly all cases, the GPU was full.'),
    advice: template('Reduce the run’s memory. The first handle needs about 8 to 32 MiB outside torch.'),
  },
  'cudnn-alloc': {
    short: template('cuDNN found no GPU memory for its workspace: the run fills the GPU.'),
    meaning: template(
      'cuDNN found no algorithm whose workspace fits. In nearly all cases, the GPU was full.',
    ),
    advice: template('Reduce the run’s memory.'),
  },
  'nccl-alloc': {
    short: template('NCCL found no GPU memory for its buffers: the run fills the GPU.'),
    meaning: template('NCCL could not allocate its buffers, which are outside torch’s memory.'),
    advice: template('Leave 1 to 2 GiB of the GPU for communication, or reduce NCCL_BUFFSIZE.'),
  },
  'kv-cache': {
    short: template('The KV cache of the longest sequence does not fit next to the weights.'),
    meaning: template(
      'The memory left for the KV cache is too small for one sequence of the maximum length.',
    ),
    advice: template('Reduce the maximum length, or raise the share of memory that the engine may use.'),
  },
  'startup-reservation': {
    short: template('The GPU has less free memory than the share that the engine reserves.'),
    meaning: template('When the engine started, less memory was free than the share that it reserves.'),
    advice: template('Free the GPU, or reduce the share.'),
  },
  'host-ram-kill': {
    short: template('The process was killed because the machine ran out of RAM, not because of GPU memory.'),
    meaning: template('The process was killed (SIGKILL), probably because the machine ran out of RAM.'),
    advice: template(
      'Check the kernel log. Use fewer workers and less prefetching, or load weights without a copy for each rank.',
    ),
  },
  'linux-oom-killer': {
    short: template(
      'The kernel killed the process because the machine ran out of RAM, not because of GPU memory.',
    ),
    meaning: template(
      'The kernel killed the process: the machine’s RAM, or the memory limit of the process’s cgroup, was used up.',
    ),
    advice: template('Use fewer workers and less offloading, or raise the limit.'),
  },
  'k8s-oomkilled': {
    short: template('Kubernetes killed the container because it reached its RAM limit.'),
    meaning: template('The container reached its memory limit. This limit is for RAM, not for GPU memory.'),
    advice: template('Raise resources.limits.memory, or use fewer workers.'),
  },
  'slurm-oom': {
    short: template(
      'Slurm killed the job because it reached its RAM limit on the node (--mem), not because of GPU memory.',
    ),
    meaning: template(
      'The job reached the memory that it requested from Slurm. This limit is for RAM, not for GPU memory.',
    ),
    advice: template('Request more with --mem or --mem-per-gpu, or use fewer workers.'),
  },
  'ray-oom': {
    short: template('Ray killed the process because its node ran out of RAM, not because of GPU memory.'),
    meaning: template('Ray killed a worker before the node ran out of RAM.'),
    advice: template(
      'Start fewer workers on a node, or request more memory for each. Ray may retry automatically.',
    ),
  },
  'host-alloc': {
    short: template('The machine ran out of RAM, not of GPU memory.'),
    meaning: template('An allocation of RAM failed.'),
    advice: template('Read the data in parts, or use a machine with more RAM.'),
  },
  shm: {
    short: template(
      'Shared memory (/dev/shm) is full: containers have 64 MB by default (--shm-size). Data loaders need more.',
    ),
    meaning: template('The container’s shared memory is too small for the data loader’s workers.'),
    advice: template(
      'Start the container with --ipc=host or a larger --shm-size, or mount a larger /dev/shm.',
    ),
  },
  'disk-full': {
    short: template('The disk is full.'),
    meaning: template('The disk, or its quota, is full.'),
    advice: template('Free space, or keep fewer checkpoints.'),
  },
};
