import type { Measure } from './sample';

/** Rings begin small: most hosts are looked at for minutes. */
const FIRST_SAMPLES = 64;

/** Values are kept as hundredths: exact for what tools print, in half the room of a double. */
const SCALE = 100;
/** Stands for "not read"; no reading is so small. */
const MISSING = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** Readings over time, at most so many: what comes then takes the place of the oldest. A measure has room only once it was read. */
export class SampleRing {
  private times = new Float64Array(FIRST_SAMPLES);
  private readonly columns = new Map<Measure, Int32Array>();
  /** Where the next one goes, and how many are there. */
  private next = 0;
  private length = 0;

  constructor(private readonly most: number) {}

  get count(): number {
    return this.length;
  }

  get isFull(): boolean {
    return this.length === this.most;
  }

  /** A new last place, in which nothing was read yet. */
  begin(timeMs: number): void {
    if (this.length === this.times.length && this.length < this.most) this.grow();
    this.times[this.next] = timeMs;
    for (const values of this.columns.values()) values[this.next] = MISSING;
    this.next = (this.next + 1) % this.times.length;
    this.length = Math.min(this.length + 1, this.times.length);
  }

  /** Moves the last place to another time. */
  moveLast(timeMs: number): void {
    this.times[this.place(this.length - 1)] = timeMs;
  }

  /** Sets a value of the last place; null was not read. */
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

  /** Of the nth, oldest first. */
  timeAt(nth: number): number {
    return this.times[this.place(nth)] ?? NaN;
  }

  /** NaN: not read. */
  valueAt(measure: Measure, nth: number): number {
    const value = this.columns.get(measure)?.[this.place(nth)] ?? MISSING;
    return value === MISSING ? NaN : value / SCALE;
  }

  /** How many are older. */
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

  /** Doubles a ring that is full: its oldest lies at `next`, and comes first from then on. */
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
