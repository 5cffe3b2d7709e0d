import type { Measure } from './sample';

/** Rings start small, because most hosts are watched only for minutes. */
const FIRST_SAMPLES = 64;

/** Values are stored in hundredths: exact for tools' output, in half the space of a double. */
const SCALE = 100;
/** Stands for "not read"; no reading is this low. */
const MISSING = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** A ring buffer of readings over time. A measure takes memory only once it was read. */
export class SampleRing {
  private times = new Float64Array(FIRST_SAMPLES);
  private readonly columns = new Map<Measure, Int32Array>();
  /** The next write index, and the number of entries. */
  private next = 0;
  private length = 0;

  constructor(private readonly most: number) {}

  get count(): number {
    return this.length;
  }

  get isFull(): boolean {
    return this.length === this.most;
  }

  /** Appends an entry with no values yet. */
  begin(timeMs: number): void {
    if (this.length === this.times.length && this.length < this.most) this.grow();
    this.times[this.next] = timeMs;
    for (const values of this.columns.values()) values[this.next] = MISSING;
    this.next = (this.next + 1) % this.times.length;
    this.length = Math.min(this.length + 1, this.times.length);
  }

  /** Changes the time of the last entry. */
  moveLast(timeMs: number): void {
    this.times[this.place(this.length - 1)] = timeMs;
  }

  /** Sets a value of the last entry; null: not read. */
  setLast(measure: Measure, value: number | null): void {
    let values = this.columns.get(measure);
    if (!values) {
      if (value === null) return;
      values = new Int32Array(this.times.length).fill(MISSING);
      this.columns.set(measure, values);
    }
    const scaled = value === null ? NaN : Math.round(value * SCALE);
    values[this.place(this.length - 1)] = Math.abs(scaled) <= MOST ? scaled : MISSING;
  }

  dropFirst(): void {
    this.length -= 1;
  }

  clear(): void {
    this.length = 0;
  }

  /** The time of the nth entry, oldest first. */
  timeAt(nth: number): number {
    return this.times[this.place(nth)] ?? NaN;
  }

  /** NaN: not read. */
  valueAt(measure: Measure, nth: number): number {
    const value = this.columns.get(measure)?.[this.place(nth)] ?? MISSING;
    return value === MISSING ? NaN : value / SCALE;
  }

  /** The number of older entries. */
  olderThan(timeMs: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) < timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private place(nth: number): number {
    const size = this.times.length;
    return (this.next - this.length + nth + size) % size;
  }

  /** Doubles a full ring: its oldest entry is at `next`, and moves to the start. */
  private grow(): void {
    const size = Math.min(this.most, this.times.length * 2);
    const times = new Float64Array(size);
    times.set(this.times.subarray(this.next));
    times.set(this.times.subarray(0, this.next), this.times.length - this.next);
    for (const [measure, old] of this.columns) {
      const values = new Int32Array(size).fill(MISSING);
      values.set(old.subarray(this.next));
      values.set(old.subarray(0, this.next), old.length - this.next);
      this.columns.set(measure, values);
    }
    this.times = times;
    this.next = this.length;
  }
}
