import { formatBytes } from '../../render/units';
import type { OomKind, OomReport } from './report';

const WORDS: Readonly<Record<OomKind, string>> = {
  'gpu-shortage': 'The GPU’s memory ran out: the run needs more than is there.',
  'gpu-fragmentation':
    'The GPU’s memory ran out in pieces: enough was kept by torch, none of it in one piece. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True helps.',
  'gpu-neighbour': 'The GPU’s memory ran out because other processes hold some of it.',
  'gpu-cap': 'The process reached the limit that it was given, below the GPU’s memory.',
  'gpu-refused':
    'The driver refused memory that was free: look at the kernel’s log (Xid), and at limits of the container.',
  'cublas-alloc': 'cuBLAS found no GPU memory for its workspace: the run fills the GPU to the brim.',
  'cudnn-alloc': 'cuDNN found no GPU memory for its workspace: the run fills the GPU to the brim.',
  'nccl-alloc': 'NCCL found no GPU memory for its buffers: the run fills the GPU to the brim.',
  'kv-cache': 'There is no room for the keys and values of the longest sequence beside the weights.',
  'startup-reservation': 'The share of the GPU that is to be reserved is not free: others hold some of it.',
  'host-ram-kill': 'It was killed for the machine’s own memory, not for that of a GPU.',
  'linux-oom-killer': 'The kernel killed it for the machine’s own memory, not for that of a GPU.',
  'k8s-oomkilled': 'Kubernetes killed it for the memory limit of its container.',
  'slurm-oom': 'Slurm killed it for the memory of its job on the node (--mem), not for that of a GPU.',
  'ray-oom': 'Ray killed it for the memory of its node, not for that of a GPU.',
  'host-alloc': 'The machine’s own memory ran out, not that of a GPU.',
  shm: 'Shared memory (/dev/shm) ran out: containers get 64 MB of it unless told (--shm-size), data loaders need more.',
  'disk-full': 'The disk is full.',
};

/** What ran out and why, as a sentence; with the amounts where the text states them. */
export function oomSentence({ kind, numbers, phase }: OomReport): string {
  const { triedBytes, freeBytes } = numbers;
  const asked = triedBytes === null ? null : `${formatBytes(triedBytes)} more were asked for`;
  const free = freeBytes === null ? null : `${formatBytes(freeBytes)} were free`;
  const when = phase === null ? null : `in ${phase}`;
  const details = [asked, free].filter(part => part !== null).join(', ');
  const tail = [details, when].filter(Boolean).join(' ');
  return tail === '' ? WORDS[kind] : `${WORDS[kind]} (${tail})`;
}
