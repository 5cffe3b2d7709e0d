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
 * CUDA context and loaded kernels of one process, outside torch's counters, with kernels loaded when they are first used
 * (the default since CUDA 12.2). Median over 13 runs of a 3 B model on an A100 of what nvidia-smi showed beyond the
 * reserved memory of their replay (fms-acceleration, scripts/benchmarks/refs/a100_80gb_granite.csv: 473 to 543 MiB in
 * nine of them); 0.47 GB was measured by hand (ml-engineering, `CUDA_MODULE_LOADING`).
 */
const CONTEXT_MIB = 520;

/**
 * What NCCL takes outside torch's counters with the first collective, 0.55 to 2.0 GiB in ml-engineering's measurement
 * (stas00/ml-engineering, training/performance). On two A100s, nvidia-smi showed 1.6 GiB and more beyond context and
 * replay (fms-acceleration, refs/a100_80gb_*.csv, 41 runs under FSDP): the rest is streams' own segments.
 */
const NCCL_MIB = 1485;

/**
 * What training with cuDNN takes beyond that: its libraries' kernels for convolutions, forwards and backwards, are loaded
 * into the context. nvidia-smi beyond context and replay on an A100: 1,210 to 1,290 MiB in five runs of MobileNetV2 and
 * EfficientNet from 32 to 128 images (GPUMemNet's test set), the same whatever the batch; networks of dense convolutions
 * have workspaces on top, which are not counted.
 */
const CUDNN_MIB = 1250;

/** The most that a process on one GPU holds outside torch's counters: to tell it from its neighbours. */
export const processOutsideTorchBytes = (CONTEXT_MIB + CUDNN_MIB) * MIB;

/** Bytes of a process beyond torch's counters; `convolves`: it trains a network of images. */
export function contextBytes(target: Target | null, ranks = 1, convolves = false): number {
  const alone = target?.gpu?.contextMiB ?? CONTEXT_MIB;
  return (alone + (ranks > 1 ? NCCL_MIB : 0) + (convolves ? CUDNN_MIB : 0)) * MIB;
}
