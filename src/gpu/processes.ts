import { FIRST_TIMEOUT_MS, readOnce } from './ask';
import type { Source } from './ask';
import type { GpuDevice } from './device';
import { placed, rekeyed } from './rekey';
import type { ToolRunner } from './runner';
import type { GpuProcess, GpuSample } from './sample';
import type { Timers } from './timers';

/** The processes on the GPUs, and MIG data from the same output. */
export interface ProcessReading {
  readonly processes: readonly GpuProcess[];
  readonly samples: readonly GpuSample[];
}

/** Queries a tool for the processes on its devices; null if it cannot report them. */
export async function readProcesses(
  runner: ToolRunner,
  source: Source,
  devices: readonly GpuDevice[],
  timers: Timers,
): Promise<ProcessReading | null> {
  const args = source.tool.processes(devices);
  if (args === null) return null;
  const reading = await readOnce(runner, source.tool, args, timers, FIRST_TIMEOUT_MS);
  if (reading.error !== null && reading.processes.length === 0) return null;
  return { processes: placed(reading.processes, devices), samples: rekeyed(source, reading.samples) };
}

/**
 * Removes duplicate entries of a process on a device or slice: a tool may list a process that computes and draws
 * twice. Its memory per GPU is unknown if the tool has one number for several GPUs.
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
