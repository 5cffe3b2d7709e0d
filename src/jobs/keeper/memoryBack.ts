import { setTimeout as pause } from 'node:timers/promises';
import { formatBytes } from '../../core/units';
import type { GpuSight, SeenGpu } from '../../core/hardware/sight';
import type { GpuPort } from '../gpuPort';
import type { JobPeak } from '../job';
import { JOB_MARK } from '../processes/processes';
import type { Processes } from '../processes/process';

/** A driver needs a moment to free memory. */
const PATIENCE_MS = 6000;
const LOOK_MS = 500;

/** Whether the GPUs' memory was freed after a stop, or who still holds some of it; null if unknown. */
export async function memoryBack(
  id: string,
  gpus: readonly SeenGpu[],
  held: JobPeak | null,
  port: GpuPort,
  processes: Processes,
): Promise<string | null> {
  if (gpus.length === 0) return null;
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const sight = await port.now();
    if (!sight?.processes) return null;
    const left = await leftOn(id, gpus, sight, processes);
    if (left.length === 0) {
      const amount = held ? `${formatBytes(held.bytes)} was freed` : 'Its memory was freed';
      return `${amount} on ${names(gpus)}.`;
    }
    if (Date.now() > endMs) {
      return `It has ended, but ${left.join(', ')}. Stop that process, or restart its machine.`;
    }
    await pause(LOOK_MS);
  }
}

const names = (gpus: readonly SeenGpu[]): string => gpus.map(({ index }) => `GPU ${index}`).join(', ');

/** Processes of the job that are still on its GPUs. */
async function leftOn(
  id: string,
  gpus: readonly SeenGpu[],
  { processes: on }: GpuSight,
  processes: Processes,
): Promise<readonly string[]> {
  const here = (on ?? []).filter(({ uuid }) => gpus.some(gpu => gpu.uuid === uuid));
  const isOurs = await Promise.all(here.map(({ pid }) => processes.startedWith(pid, JOB_MARK, id)));
  return here
    .filter((_, i) => isOurs[i])
    .map(({ pid, name, bytes }) => {
      const amount = bytes === null ? 'memory' : formatBytes(bytes);
      return `${name ?? 'a process'} (${pid}) still uses ${amount}`;
    });
}
