import type { GpuProcess } from './sample';

/**
 * A list in which what a process holds on a device, or in one slice of it, stands once: a tool may list one that computes and
 * draws twice. What it holds on one of several GPUs is not known where the tool has one number for them all.
 */
export function heldOnce(processes: readonly GpuProcess[]): readonly GpuProcess[] {
  const found = new Map<string, GpuProcess>();
  for (const process of processes) {
    const { pid, deviceKey = null, gpuInstanceId, computeInstanceId, memoryUsedMiB } = process;
    const id = [pid, deviceKey, gpuInstanceId, computeInstanceId].join('/');
    const before = found.get(id);
    if (!before || (memoryUsedMiB ?? -1) > (before.memoryUsedMiB ?? -1)) found.set(id, process);
  }
  return [...found.values()].map(one => (isOnOne(one) ? one : { ...one, memoryUsedMiB: null }));
}

const isOnOne = ({ gpuIndices = [], gpuCount }: GpuProcess): boolean =>
  gpuIndices.length <= 1 && (gpuCount ?? 1) <= 1;
