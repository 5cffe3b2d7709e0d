import type { GpuProcess } from './sample';

/** What some processes held at one time, by a tool's list. Null: the tool does not say how much, or not on which device. */
export interface HeldMemory {
  readonly timeMs: number;
  readonly totalMiB: number | null;
  /** By the device's key. */
  readonly byDevice: ReadonlyMap<string, number | null>;
}

/**
 * Memory that the processes of a run hold. Null when that is not known: the list was not read, or has none of them. Their
 * absence is no zero: a process may not have come to the GPU yet, and in a container a tool counts processes as the machine outside does.
 */
export function heldBy(
  processes: readonly GpuProcess[] | null,
  pids: ReadonlySet<number>,
  timeMs: number,
): HeldMemory | null {
  const own = distinct((processes ?? []).filter(({ pid }) => pids.has(pid)));
  if (own.length === 0) return null;
  const byDevice = new Map<string, number | null>();
  for (const process of own) {
    const { deviceKey = null, memoryUsedMiB } = process;
    if (deviceKey === null) continue;
    const before = byDevice.get(deviceKey);
    const held = isOnOne(process) ? memoryUsedMiB : null;
    byDevice.set(deviceKey, before === undefined ? held : sum(before, held));
  }
  const totalMiB = own.reduce<number | null>((all, { memoryUsedMiB }) => sum(all, memoryUsedMiB), 0);
  return { timeMs, totalMiB, byDevice };
}

/** The most that was held at any of these times; null where no reading knew. The true peak may lie between two of them. */
export function mostHeld(series: readonly HeldMemory[]): Omit<HeldMemory, 'timeMs'> {
  const byDevice = new Map<string, number | null>();
  for (const held of series) {
    for (const [key, value] of held.byDevice) byDevice.set(key, more(byDevice.get(key) ?? null, value));
  }
  const totalMiB = series.reduce<number | null>((most, held) => more(most, held.totalMiB), null);
  return { totalMiB, byDevice };
}

/** A tool may list one process twice, as computing and as drawing; in two slices of a GPU it holds memory twice. */
function distinct(processes: readonly GpuProcess[]): readonly GpuProcess[] {
  const found = new Map<string, GpuProcess>();
  for (const process of processes) {
    const { pid, deviceKey = null, gpuInstanceId, computeInstanceId, memoryUsedMiB } = process;
    const id = [pid, deviceKey, gpuInstanceId, computeInstanceId].join('/');
    const before = found.get(id);
    if (!before || (memoryUsedMiB ?? -1) > (before.memoryUsedMiB ?? -1)) found.set(id, process);
  }
  return [...found.values()];
}

/** Tools that count by process give one number for all its GPUs. */
const isOnOne = ({ gpuIndices = [], gpuCount }: GpuProcess): boolean =>
  gpuIndices.length <= 1 && (gpuCount ?? 1) <= 1;

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

const more = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
