import type { Advice } from '../core/advice/advice';
import { adviseOn } from '../core/advice/adviseOn';
import { WINDOW_MS } from '../core/advice/signals';
import type { Holder, Signals, Throttle, Trace } from '../core/advice/signals';
import { samePciBusId } from './device';
import type { GpuDevice } from './device';
import { deviceId } from './fleet';
import type { HostReading, SampleHistory } from './fleet';
import type { GpuProcess, Measure } from './sample';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

/** Recent readings that the history of samples does not keep. */
class Notes<Value> {
  private readonly kept: { readonly timeMs: number; readonly value: Value }[] = [];

  add(timeMs: number, value: Value): void {
    if (timeMs <= (this.kept.at(-1)?.timeMs ?? -Infinity)) return;
    this.kept.push({ timeMs, value });
    while ((this.kept[0]?.timeMs ?? Infinity) < timeMs - WINDOW_MS) this.kept.shift();
  }

  since(timeMs: number): readonly { readonly timeMs: number; readonly value: Value }[] {
    return this.kept.filter(one => one.timeMs >= timeMs);
  }
}

/** The facts of a device that advice needs. */
interface WatchedDevice extends Pick<GpuDevice, 'memoryTotalMiB' | 'memoryKind'> {
  readonly id: string;
  /** Null: no MIG. */
  readonly mig: object | null;
  /** Null: unknown. */
  readonly processes: readonly Holder[] | null;
}

/** Whether a process is on a device, by the most reliable identifier that both have. */
export function isOn(process: GpuProcess, { uuid, pciBusId, index }: GpuDevice): boolean {
  if (process.gpuUuid !== null && uuid !== null) return process.gpuUuid === uuid;
  if (process.pciBusId !== null && pciBusId !== null) return samePciBusId(process.pciBusId, pciBusId);
  return process.gpuIndices?.includes(index) ?? process.gpuIndex === index;
}

/** Converts a device of a reading. */
export function watchedDevice({ host, processes }: HostReading, device: GpuDevice): WatchedDevice {
  const { memoryTotalMiB, memoryKind, mig } = device;
  const holders = processes?.filter(process => isOn(process, device)).map(holder) ?? null;
  return {
    id: deviceId(host.id, device),
    memoryTotalMiB,
    memoryKind,
    mig: mig?.enabled ? mig : null,
    processes: holders,
  };
}

const holder = ({ pid, name, user, memoryUsedMiB, type }: GpuProcess): Holder => ({
  pid,
  name,
  user: user ?? null,
  memoryUsedMiB,
  graphicsOnly: type === 'G',
});

/** Fewer readings cannot show how often a clock is throttled. */
const LEAST_READINGS = 12;

/** Evaluates recent GPU readings and gives advice. */
export class Advisor {
  /** `say`: says advice in the reader's language. */
  constructor(private readonly say: Say = english) {}

  private readonly cpu = new Map<string, Notes<number>>();
  private readonly throttle = new Map<string, Notes<readonly string[]>>();

  /** Stores readings that the history of samples does not keep. */
  note(hostId: string, { machine, samples }: HostReading, nowMs: number): void {
    const load = machine?.cpuPct ?? null;
    if (load !== null) notesOf(this.cpu, hostId).add(nowMs, load);
    for (const { key, receivedMs, throttleReasons } of samples) {
      const reasons = throttleReasons ?? null;
      if (reasons !== null) notesOf(this.throttle, `${hostId}/${key}`).add(receivedMs, reasons);
    }
  }

  advise(hostId: string, device: WatchedDevice, history: SampleHistory, nowMs: number): readonly Advice[] {
    return adviseOn(this.signals(hostId, device, history, nowMs), this.say);
  }

  private signals(hostId: string, device: WatchedDevice, history: SampleHistory, nowMs: number): Signals {
    const since = nowMs - WINDOW_MS;
    const trace = (measure: Measure): Trace => history.series(device.id, measure, since);
    return {
      nowMs,
      // Unified memory belongs to the machine: a batch cannot count on its free part.
      memoryTotalMiB: device.memoryKind === 'unified' ? null : device.memoryTotalMiB,
      // The utilization of a GPU with MIG slices does not describe its slices.
      utilPct: device.mig === null ? trace('utilPct') : UNREAD,
      memoryUsedMiB: trace('memoryUsedMiB'),
      tempC: trace('tempC'),
      powerW: trace('powerW'),
      powerLimitW: trace('powerLimitW'),
      cpuPct: asTrace(this.cpu.get(hostId)?.since(since) ?? []),
      throttled: sharesOf(this.throttle.get(device.id)?.since(since) ?? []),
      holders: device.processes,
    };
  }
}

const UNREAD: Trace = { timesMs: [], values: [] };

function notesOf<Value>(all: Map<string, Notes<Value>>, id: string): Notes<Value> {
  const notes = all.get(id) ?? new Notes<Value>();
  all.set(id, notes);
  return notes;
}

const asTrace = (notes: readonly { readonly timeMs: number; readonly value: number }[]): Trace => ({
  timesMs: notes.map(({ timeMs }) => timeMs),
  values: notes.map(({ value }) => value),
});

function sharesOf(notes: readonly { readonly value: readonly string[] }[]): readonly Throttle[] | null {
  if (notes.length < LEAST_READINGS) return null;
  const counts = new Map<string, number>();
  for (const { value } of notes) {
    for (const reason of new Set(value)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, share: count / notes.length }));
}
