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
