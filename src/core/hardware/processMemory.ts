import { MIB } from '../units';

/**
 * A constant that was measured and not derived, with where it comes from. Those that the memory model alone needs stand in
 * memory/calibration.ts.
 */
export interface Calibrated<T> {
  readonly value: T;
  /** The table or the measurement. */
  readonly source: string;
  /** How many runs of it were used; null: no one wrote it down. */
  readonly runs: number | null;
  /** What of these runs the value is. */
  readonly statistic: string;
  /** The month in which it was taken. */
  readonly date: string;
}

/**
 * CUDA context and loaded kernels of one process, outside torch's counters, with kernels loaded when they are first used
 * (the default since CUDA 12.2). By hand 0.47 GB was measured (ml-engineering, `CUDA_MODULE_LOADING`).
 */
export const contextMiB: Calibrated<number> = {
  value: 520,
  source: 'fms-acceleration, scripts/benchmarks/refs/a100_80gb_granite.csv: a model of 3 B on an A100',
  runs: 13,
  statistic: 'median of nvidia-smi less the reserved memory of the replay; nine runs lie from 473 to 543',
  date: '2026-11',
};

/**
 * What training with cuDNN takes beyond that: its libraries' kernels for convolutions, forwards and backwards, are loaded
 * into the context. Networks of dense convolutions have workspaces on top, which are not counted.
 */
export const cudnnMiB: Calibrated<number> = {
  value: 1250,
  source: "GPUMemNet's test set: MobileNetV2 and EfficientNet on an A100, 32 to 128 images",
  runs: 5,
  statistic: 'middle of nvidia-smi less context and replay, 1,210 to 1,290 whatever the batch',
  date: '2026-11',
};

/** The most that a process on one GPU holds outside torch's counters: to tell it from its neighbors. */
export const processOutsideTorchBytes = (contextMiB.value + cudnnMiB.value) * MIB;
