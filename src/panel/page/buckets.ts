import type { SampleHistory } from '../../gpu/fleet';
import { CHARTED } from './charted';
import type { Charted } from './charted';
import type { DeviceSeries } from './protocol';

/** A chart is about 200 pixels wide: more points would not be visible. */
const MOST_POINTS = 150;

/** Memory and temperature keep their peaks; utilization and power are averaged. */
const KEEPS_PEAK: Readonly<Record<Charted, boolean>> = {
  memoryUsedMiB: true,
  utilPct: false,
  tempC: true,
  powerW: false,
};

/** The time that one point of a chart covers. */
export const bucketMs = (windowMs: number): number => windowMs / MOST_POINTS;

/** The charted measures of one reading, NaN if not read. */
export type Row = Readonly<Record<Charted, number>>;

/**
 * Readings of a time window, reduced to what a chart can show: the readings of one bucket become one point, their
 * peak or mean. New points are added at the end, old ones are dropped.
 */
export class Buckets {
  readonly timesMs: number[] = [];
  readonly columns: Readonly<Record<Charted, (number | null)[]>> = {
    memoryUsedMiB: [],
    utilPct: [],
    tempC: [],
    powerW: [],
  };
  /** Readings in the last bucket, by measure, for its mean. */
  private readonly counts = { memoryUsedMiB: 0, utilPct: 0, tempC: 0, powerW: 0 };
  private bucket = -1;

  constructor(readonly windowMs: number) {}

  /** Adds a reading; one that is not newer than the last is ignored. */
  add(timeMs: number, row: Row): void {
    const last = this.timesMs.at(-1);
    if (last !== undefined && timeMs <= last) return;
    const bucket = Math.floor(timeMs / bucketMs(this.windowMs));
    if (bucket === this.bucket) this.merge(timeMs, row);
    else this.append(timeMs, row);
    this.bucket = bucket;
    this.drop(timeMs - this.windowMs);
  }

  /** Starts from points that were reduced elsewhere. */
  load(timesMs: readonly number[], columns: Readonly<Record<Charted, readonly (number | null)[]>>): void {
    this.timesMs.splice(0, this.timesMs.length, ...timesMs);
    for (const measure of CHARTED) {
      this.columns[measure].splice(0, this.columns[measure].length, ...columns[measure]);
      this.counts[measure] = 1;
    }
    const last = timesMs.at(-1);
    this.bucket = last === undefined ? -1 : Math.floor(last / bucketMs(this.windowMs));
  }

  private append(timeMs: number, row: Row): void {
    this.timesMs.push(timeMs);
    for (const measure of CHARTED) {
      const value = row[measure];
      this.columns[measure].push(Number.isNaN(value) ? null : value);
      this.counts[measure] = Number.isNaN(value) ? 0 : 1;
    }
  }

  private merge(timeMs: number, row: Row): void {
    const end = this.timesMs.length - 1;
    this.timesMs[end] = timeMs;
    for (const measure of CHARTED) {
      const value = row[measure];
      if (Number.isNaN(value)) continue;
      const before = this.columns[measure][end] ?? null;
      const count = this.counts[measure];
      this.columns[measure][end] = before === null ? value : combined(measure, before, value, count);
      this.counts[measure] = count + 1;
    }
  }

  /** Keeps one point before the window, so that the line reaches the edge. */
  private drop(beforeMs: number): void {
    let old = 0;
    while ((this.timesMs[old + 1] ?? Infinity) < beforeMs) old++;
    if (old === 0) return;
    this.timesMs.splice(0, old);
    for (const measure of CHARTED) this.columns[measure].splice(0, old);
  }
}

function combined(measure: Charted, before: number, value: number, count: number): number {
  return KEEPS_PEAK[measure] ? Math.max(before, value) : (before * count + value) / (count + 1);
}

/** A device's history, reduced to what a chart of that length can show. */
export function seriesOf(
  history: SampleHistory,
  device: string,
  windowMs: number,
  nowMs: number,
): DeviceSeries {
  const since = nowMs - windowMs;
  const memory = history.series(device, 'memoryUsedMiB', since);
  const columns = {
    utilPct: history.series(device, 'utilPct', since).values,
    tempC: history.series(device, 'tempC', since).values,
    powerW: history.series(device, 'powerW', since).values,
  };
  const buckets = new Buckets(windowMs);
  memory.timesMs.forEach((time, i) =>
    buckets.add(time, {
      memoryUsedMiB: memory.values[i] ?? NaN,
      utilPct: columns.utilPct[i] ?? NaN,
      tempC: columns.tempC[i] ?? NaN,
      powerW: columns.powerW[i] ?? NaN,
    }),
  );
  return { timesMs: buckets.timesMs, columns: buckets.columns };
}
