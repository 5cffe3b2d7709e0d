import type { Advice } from '../../core/advice/advice';
import { adviseOn } from '../../core/advice/adviseOn';
import { WINDOW_MS } from '../../core/advice/signals';
import type { Signals, Throttle, Trace } from '../../core/advice/signals';
import type { HostReading, SampleHistory } from '../../gpu/fleet';
import type { Measure } from '../../gpu/sample';
import type { DeviceCard } from './protocol';

/** What is not kept in the history of samples, of the last minutes. */
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

/** Fewer readings than this say nothing about how often a clock is held back. */
const LEAST_READINGS = 12;

/** Looks at what was read of GPUs lately, and says what is worth doing. */
export class Advisor {
  private readonly cpu = new Map<string, Notes<number>>();
  private readonly throttle = new Map<string, Notes<readonly string[]>>();

  /** Takes note of what the history of samples does not keep. */
  note(hostId: string, { machine, samples }: HostReading, nowMs: number): void {
    const load = machine?.cpuPct ?? null;
    if (load !== null) notesOf(this.cpu, hostId).add(nowMs, load);
    for (const { key, receivedMs, throttleReasons } of samples) {
      const reasons = throttleReasons ?? null;
      if (reasons !== null) notesOf(this.throttle, `${hostId}/${key}`).add(receivedMs, reasons);
    }
  }

  advise(hostId: string, card: DeviceCard, history: SampleHistory, nowMs: number): readonly Advice[] {
    return adviseOn(this.signals(hostId, card, history, nowMs));
  }

  private signals(hostId: string, card: DeviceCard, history: SampleHistory, nowMs: number): Signals {
    const since = nowMs - WINDOW_MS;
    const trace = (measure: Measure): Trace => history.series(card.id, measure, since);
    return {
      nowMs,
      // Unified memory is the machine's: what is free of it is nothing that a batch may count on.
      memoryTotalMiB: card.memoryKind === 'unified' ? null : card.memoryTotalMiB,
      // What a GPU that is split into slices says of its load is not that of the slices.
      utilPct: card.mig === null ? trace('utilPct') : UNREAD,
      memoryUsedMiB: trace('memoryUsedMiB'),
      tempC: trace('tempC'),
      powerW: trace('powerW'),
      powerLimitW: trace('powerLimitW'),
      cpuPct: asTrace(this.cpu.get(hostId)?.since(since) ?? []),
      throttled: sharesOf(this.throttle.get(card.id)?.since(since) ?? []),
      holders: card.processes,
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
