import { CONTEXT_MIB, CUDNN_MIB } from '../hardware/processMemory';
import type { Target } from '../hardware/gpu';
import { MIB } from '../units';

/**
 * cuBLAS workspaces: `:4096:2:16:8` before Hopper, 32 MiB since (cuBLAS documentation, 2.1.4), one for each handle.
 * Torch allocates them, so its counters show them.
 */
export function libraryWorkspaces(target: Target | null, handles: number): readonly number[] {
  const capability = Number(target?.gpu?.computeCapability ?? '8.0');
  return Array.from({ length: handles }, () => (capability >= 9 ? 32 : 8.125) * MIB);
}

/**
 * What NCCL takes outside torch's counters with the first collective, 0.55 to 2.0 GiB in ml-engineering's measurement
 * (stas00/ml-engineering, training/performance). On two A100s, nvidia-smi showed 1.6 GiB and more beyond context and
 * replay (fms-acceleration, refs/a100_80gb_*.csv, 41 runs under FSDP): the rest is streams' own segments.
 */
const NCCL_MIB = 1485;

/** Bytes of a process beyond torch's counters; `convolves`: it trains a network of images. */
export function contextBytes(target: Target | null, ranks = 1, convolves = false): number {
  const alone = target?.gpu?.contextMiB ?? CONTEXT_MIB;
  return (alone + (ranks > 1 ? NCCL_MIB : 0) + (convolves ? CUDNN_MIB : 0)) * MIB;
}
