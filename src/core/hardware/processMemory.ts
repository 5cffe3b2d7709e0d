import { MIB } from '../units';

/**
 * CUDA context and loaded kernels of one process, outside torch's counters, with kernels loaded when they are first used
 * (the default since CUDA 12.2). Median over 13 runs of a 3 B model on an A100 of what nvidia-smi showed beyond the
 * reserved memory of their replay (fms-acceleration, scripts/benchmarks/refs/a100_80gb_granite.csv: 473 to 543 MiB in
 * nine of them); 0.47 GB was measured by hand (ml-engineering, `CUDA_MODULE_LOADING`).
 */
export const CONTEXT_MIB = 520;

/**
 * What training with cuDNN takes beyond that: its libraries' kernels for convolutions, forwards and backwards, are loaded
 * into the context. nvidia-smi beyond context and replay on an A100: 1,210 to 1,290 MiB in five runs of MobileNetV2 and
 * EfficientNet from 32 to 128 images (GPUMemNet's test set), the same whatever the batch; networks of dense convolutions
 * have workspaces on top, which are not counted.
 */
export const CUDNN_MIB = 1250;

/** The most that a process on one GPU holds outside torch's counters: to tell it from its neighbors. */
export const processOutsideTorchBytes = (CONTEXT_MIB + CUDNN_MIB) * MIB;
