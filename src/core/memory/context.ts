import type { Target } from '../hardware/gpu';
import { MIB } from '../units';
import { calibration } from './calibration';
import type { Calibration } from './calibration';

/**
 * cuBLAS workspaces: `:4096:2:16:8` before Hopper, 32 MiB since (cuBLAS documentation, 2.1.4), one per handle.
 * Torch allocates them, so its counters include them.
 */
export function libraryWorkspaces(target: Target | null, handles: number): readonly number[] {
  const capability = Number(target?.gpu?.computeCapability ?? '8.0');
  return Array.from({ length: handles }, () => (capability >= 9 ? 32 : 8.125) * MIB);
}

/** Bytes of a process outside torch's counters; `convolves`: it trains an image network. */
export function contextBytes(
  target: Target | null,
  ranks = 1,
  convolves = false,
  { scalars: { contextMiB, ncclMiB, cudnnMiB } }: Calibration = calibration,
): number {
  const alone = target?.gpu?.contextMiB ?? contextMiB.value;
  return (alone + (ranks > 1 ? ncclMiB.value : 0) + (convolves ? cudnnMiB.value : 0)) * MIB;
}
