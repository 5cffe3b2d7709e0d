import { deviceId } from '../../src/gpu/fleet';
import type { Fleet, HostReading, HostWatch, SampleHistory, Series } from '../../src/gpu/fleet';
import type { GpuSample, Measure } from '../../src/gpu/sample';

/** A fleet whose readings a test sets. */
export class MemoryFleet implements Fleet {
  readonly history = new MemoryHistory();
  private readonly hosts = new Map<string, MemoryWatch>();
  private readonly listeners = new Set<() => void>();

  watches(): readonly HostWatch[] {
    return [...this.hosts.values()];
  }

  onHosts(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Adds or updates a host. */
  set(reading: HostReading): void {
    this.history.add(reading.host.id, reading.samples);
    const there = this.hosts.get(reading.host.id);
    if (there) {
      there.tell(reading);
      return;
    }
    this.hosts.set(reading.host.id, new MemoryWatch(reading));
    for (const listener of this.listeners) listener();
  }

  remove(hostId: string): void {
    this.hosts.delete(hostId);
    for (const listener of this.listeners) listener();
  }

  /** The number of subscribers to a host's readings. */
  holds(hostId: string): number {
    return this.hosts.get(hostId)?.holds ?? 0;
  }

  retries(hostId: string): number {
    return this.hosts.get(hostId)?.retries ?? 0;
  }

  dispose(): void {
    this.hosts.clear();
  }
}

class MemoryWatch implements HostWatch {
  holds = 0;
  retries = 0;
  private readonly listeners = new Set<(reading: HostReading) => void>();

  constructor(public reading: HostReading) {}

  get host() {
    return this.reading.host;
  }

  tell(reading: HostReading): void {
    this.reading = reading;
    for (const listener of this.listeners) listener(reading);
  }

  on(listener: (reading: HostReading) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  hold(): () => void {
    this.holds += 1;
    let held = true;
    return () => {
      if (held) this.holds -= 1;
      held = false;
    };
  }

  retry(): void {
    this.retries += 1;
  }

  dispose(): void {
    this.listeners.clear();
  }
}

class MemoryHistory implements SampleHistory {
  private readonly samples = new Map<string, GpuSample[]>();

  add(hostId: string, samples: readonly GpuSample[]): void {
    for (const sample of samples) {
      const id = deviceId(hostId, sample);
      const kept = this.samples.get(id) ?? [];
      if (kept.at(-1)?.receivedMs !== sample.receivedMs) kept.push(sample);
      this.samples.set(id, kept);
    }
  }

  series(device: string, measure: Measure, sinceMs: number): Series {
    const kept = (this.samples.get(device) ?? []).filter(({ receivedMs }) => receivedMs >= sinceMs);
    return {
      timesMs: Float64Array.from(kept, ({ receivedMs }) => receivedMs),
      values: Float64Array.from(kept, sample => sample[measure] ?? NaN),
    };
  }

  devices(): readonly string[] {
    return [...this.samples.keys()];
  }
}
