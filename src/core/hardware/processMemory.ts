import { MIB } from '../units';

/**
 * A constant that was measured, not derived, with its source. Constants that only the memory model needs are in
 * memory/calibration.ts.
 */
export interface Calibrated<T> {
  readonly value: T;
  /** The table or the measurement. */
  readonly source: string;
  /** Number of runs; null: unknown. */
  readonly runs: number | null;
  /** The statistic over these runs. */
  readonly statistic: string;
  /** The month of the measurement. */
  readonly date: string;
}

/**
 * CUDA context and loaded kernels of one process, outside torch's counters, with lazy loading (the default since
 * CUDA 12.2). Measured by hand: 0.47 GB (ml-engineering, `CUDA_MODULE_LOADING`).
 */
export const contextMiB: Calibrated<number> = {
  value: 520,
  source: 'fms-acceleration, scripts/benchmarks/refs/a100_80gb_granite.csv: a model of 3 B on an A100',
  runs: 13,
  statistic: 'median of nvidia-smi less the reserved memory of the replay; nine runs lie from 473 to 543',
  date: '2026-11',
};

/**
 * Additional context memory of training with cuDNN: its forward and backward convolution kernels. Excludes the
 * workspaces of dense convolutions.
 */
export const cudnnMiB: Calibrated<number> = {
  value: 1250,
  source: "GPUMemNet's test set: MobileNetV2 and EfficientNet on an A100, 32 to 128 images",
  runs: 5,
  statistic: 'middle of nvidia-smi less context and replay, 1,210 to 1,290 whatever the batch',
  date: '2026-11',
};

/** The most memory of a process on one GPU outside torch's counters; distinguishes it from other processes. */
export const processOutsideTorchBytes = (contextMiB.value + cudnnMiB.value) * MIB;
