import { FIRST_TIMEOUT_MS, readOnce } from './ask';
import type { Source } from './ask';
import type { GpuDevice } from './device';
import { placed, rekeyed } from './rekey';
import type { ToolRunner } from './runner';
import type { GpuProcess, GpuSample } from './sample';
import type { Timers } from './timers';

/** Who is on the GPUs, and what the same answer says of their MIG instances. */
export interface ProcessReading {
  readonly processes: readonly GpuProcess[];
  readonly samples: readonly GpuSample[];
}

/** Asks a tool for the processes on its devices; null when it cannot say. */
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
