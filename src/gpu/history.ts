import { deviceId } from './fleet';
import type { SampleHistory, Series } from './fleet';
import { MEASURES } from './sample';
import type { GpuSample, Measure } from './sample';
import { SampleRing } from './sampleRing';
import { Thinner, THINNED_MS } from './thinned';

const HOUR_MS = 3_600_000;
/** Younger samples are kept as read, up to one per second. */
const WHOLE_MS = 600_000;
const MOST_WHOLE = WHOLE_MS / 1000;
/** The rest of the hour; each of its ends may share a bucket. */
const MOST_THINNED = (HOUR_MS - WHOLE_MS) / THINNED_MS + 2;

/**
 * Samples of the last hour: those of the last ten minutes as read, earlier ones thinned to one per five seconds
 * with the maximum of memory and temperature and the mean of the rest.
 */
export class RingHistory implements SampleHistory {
  private readonly kept = new Map<string, DeviceHistory>();

  add(hostId: string, samples: readonly GpuSample[]): void {
    for (const sample of samples) {
      const id = deviceId(hostId, sample);
      const device = this.kept.get(id) ?? this.begin(id, sample.receivedMs);
      device.add(sample);
    }
  }

  series(id: string, measure: Measure, sinceMs: number): Series {
    return this.kept.get(id)?.series(measure, sinceMs) ?? EMPTY;
  }

  devices(): readonly string[] {
    return [...this.kept.keys()];
  }

  /** Adds a device, and removes those last seen more than an hour ago. */
  private begin(id: string, nowMs: number): DeviceHistory {
    for (const [other, device] of this.kept) {
      if (device.lastMs < nowMs - HOUR_MS) this.kept.delete(other);
    }
    const device = new DeviceHistory();
    this.kept.set(id, device);
    return device;
  }
}

const EMPTY: Series = { timesMs: new Float64Array(0), values: new Float64Array(0) };

/** The samples of one device. */
class DeviceHistory {
  lastMs = -Infinity;
  private readonly whole = new SampleRing(MOST_WHOLE);
  private readonly thinned = new SampleRing(MOST_THINNED);
  private readonly thinner = new Thinner(this.thinned);

  add(sample: GpuSample): void {
    const { receivedMs } = sample;
    // Seen before: the event came from another of the host's tools.
    if (receivedMs === this.lastMs) return;
    // After the clock was set back, the series would run backwards.
    if (receivedMs < this.lastMs) this.forget();
    this.age(receivedMs);
    this.whole.begin(receivedMs);
    for (const measure of MEASURES) this.whole.setLast(measure, sample[measure]);
    this.lastMs = receivedMs;
  }

  series(measure: Measure, sinceMs: number): Series {
    const since = Math.max(sinceMs, this.lastMs - HOUR_MS);
    const parts = [this.thinned, this.whole].map(ring => ({ ring, from: ring.olderThan(since) }));
    const length = parts.reduce((sum, { ring, from }) => sum + ring.count - from, 0);
    const timesMs = new Float64Array(length);
    const values = new Float64Array(length);
    let at = 0;
    for (const { ring, from } of parts) {
      for (let nth = from; nth < ring.count; nth++, at++) {
        timesMs[at] = ring.timeAt(nth);
        values[at] = ring.valueAt(measure, nth);
      }
    }
    return { timesMs, values };
  }

  /** Makes room by thinning old samples. */
  private age(nowMs: number): void {
    const { whole } = this;
    while (whole.count > 0 && (whole.isFull || whole.timeAt(0) < nowMs - WHOLE_MS)) {
      this.thinner.add(whole.timeAt(0), measure => whole.valueAt(measure, 0));
      whole.dropFirst();
    }
  }

  private forget(): void {
    this.whole.clear();
    this.thinned.clear();
    this.thinner.clear();
  }
}
