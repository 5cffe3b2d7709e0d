import { deviceId } from './fleet';
import type { SampleHistory, Series } from './fleet';
import { MEASURES } from './sample';
import type { GpuSample, Measure } from './sample';

/** One hour at one sample a second. */
const MOST_SAMPLES = 3600;
const HOUR_MS = 3_600_000;
/** Rings begin small: most hosts are looked at for minutes. */
const FIRST_SAMPLES = 64;

/** Values are kept as hundredths: exact for what tools print, in half the room of a double. */
const SCALE = 100;
/** Stands for "not read"; no reading is so small. */
const MISSING = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** Samples of the last hour in rings of fixed size: what comes after an hour takes the place of the oldest. */
export class RingHistory implements SampleHistory {
  private readonly rings = new Map<string, DeviceRing>();

  add(hostId: string, samples: readonly GpuSample[]): void {
    for (const sample of samples) {
      const id = deviceId(hostId, sample);
      const ring = this.rings.get(id) ?? this.begin(id, sample.receivedMs);
      ring.add(sample);
    }
  }

  series(id: string, measure: Measure, sinceMs: number): Series {
    return this.rings.get(id)?.series(measure, sinceMs) ?? EMPTY;
  }

  devices(): readonly string[] {
    return [...this.rings.keys()];
  }

  /** A new device: those that were last seen more than an hour ago make room. */
  private begin(id: string, nowMs: number): DeviceRing {
    for (const [other, ring] of this.rings) {
      if (ring.lastMs < nowMs - HOUR_MS) this.rings.delete(other);
    }
    const ring = new DeviceRing();
    this.rings.set(id, ring);
    return ring;
  }
}

const EMPTY: Series = { timesMs: new Float64Array(0), values: new Float64Array(0) };

/** The samples of one device. A measure has room only once it has been read. */
class DeviceRing {
  lastMs = -Infinity;
  private times = new Float64Array(FIRST_SAMPLES);
  private readonly measures = new Map<Measure, Int32Array>();
  /** Where the next sample goes, and how many are there. */
  private next = 0;
  private count = 0;

  add(sample: GpuSample): void {
    // Seen before: another of the host's tools had news.
    if (sample.receivedMs === this.lastMs) return;
    // A clock that was set back would make a series run backwards.
    if (sample.receivedMs < this.lastMs) this.forget();
    if (this.count === this.times.length && this.count < MOST_SAMPLES) this.grow();
    for (const measure of MEASURES) this.put(measure, sample[measure]);
    this.times[this.next] = sample.receivedMs;
    this.lastMs = sample.receivedMs;
    this.next = (this.next + 1) % this.times.length;
    this.count = Math.min(this.count + 1, this.times.length);
  }

  series(measure: Measure, sinceMs: number): Series {
    const from = this.firstSince(Math.max(sinceMs, this.lastMs - HOUR_MS));
    const length = this.count - from;
    const timesMs = new Float64Array(length);
    const values = new Float64Array(length).fill(NaN);
    const kept = this.measures.get(measure);
    for (let at = 0; at < length; at++) {
      const place = this.place(from + at);
      timesMs[at] = this.times[place] ?? NaN;
      const value = kept?.[place] ?? MISSING;
      if (value !== MISSING) values[at] = value / SCALE;
    }
    return { timesMs, values };
  }

  private put(measure: Measure, value: number | null): void {
    let values = this.measures.get(measure);
    if (!values) {
      if (value === null) return;
      values = new Int32Array(this.times.length).fill(MISSING);
      this.measures.set(measure, values);
    }
    const scaled = value === null ? NaN : Math.round(value * SCALE);
    values[this.next] = Math.abs(scaled) <= MOST ? scaled : MISSING;
  }

  /** How many of the samples are older. */
  private firstSince(sinceMs: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[this.place(middle)] ?? 0) < sinceMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where in the ring the sample lies that is the nth, oldest first. */
  private place(nth: number): number {
    const size = this.times.length;
    return (this.next - this.count + nth + size) % size;
  }

  /** Doubles a ring that is full: its oldest sample lies at `next`, which then becomes the first place. */
  private grow(): void {
    const size = Math.min(MOST_SAMPLES, this.times.length * 2);
    const times = new Float64Array(size);
    times.set(this.times.subarray(this.next));
    times.set(this.times.subarray(0, this.next), this.times.length - this.next);
    for (const [measure, old] of this.measures) {
      const values = new Int32Array(size).fill(MISSING);
      values.set(old.subarray(this.next));
      values.set(old.subarray(0, this.next), old.length - this.next);
      this.measures.set(measure, values);
    }
    this.times = times;
    this.next = this.count;
  }

  private forget(): void {
    this.next = 0;
    this.count = 0;
  }
}
