import type { Say } from '../text/say';
/** Readings of one metric, oldest first; NaN: not read. */
export interface Trace {
  readonly timesMs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A program that holds GPU memory. Null: hidden or not printed. */
export interface Holder {
  readonly pid: number | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly memoryUsedMiB: number | null;
  /** Only draws a screen, without computing. */
  readonly graphicsOnly: boolean;
}

/** The reason for clock throttling, and its share of the readings. */
export interface Throttle {
  readonly reason: string;
  readonly share: number;
}

/** Recent facts about one GPU and its machine. */
export interface Signals {
  /** The current time on the clock of the traces. */
  readonly nowMs: number;
  /** Null: unknown, or shared with the CPU (unified memory). */
  readonly memoryTotalMiB: number | null;
  readonly utilPct: Trace;
  readonly memoryUsedMiB: Trace;
  readonly tempC: Trace;
  readonly powerW: Trace;
  readonly powerLimitW: Trace;
  /** For the whole machine. */
  readonly cpuPct: Trace;
  /** Null: the tool does not report it. */
  readonly throttled: readonly Throttle[] | null;
  /** Null: unknown. */
  readonly holders: readonly Holder[] | null;
}

/** The readings of the last minutes, if there are enough. */
export interface Recent {
  /** Read values, oldest first. */
  readonly values: readonly number[];
  /** Time between the first and the last reading. */
  readonly minutes: number;
}

/** The time window of advice. */
export const WINDOW_MS = 180_000;

/** A shorter time says nothing: loading a model or saving a checkpoint takes as long. */
const LEAST_MS = 90_000;
const LEAST_READINGS = 12;

/** Maximum age of the last reading; after that the current state is unknown. */
const FRESH_MS = 20_000;

/** The readings to use; null if they are too few, too short or too old. */
export function recent({ timesMs, values }: Trace, nowMs: number): Recent | null {
  const read: number[] = [];
  let first = NaN;
  let last = NaN;
  for (let i = 0; i < timesMs.length; i++) {
    const time = timesMs[i] ?? NaN;
    const value = values[i] ?? NaN;
    if (time < nowMs - WINDOW_MS || Number.isNaN(value)) continue;
    if (read.length === 0) first = time;
    last = time;
    read.push(value);
  }
  const isEnough = read.length >= LEAST_READINGS && last - first >= LEAST_MS;
  return isEnough && nowMs - last <= FRESH_MS ? { values: read, minutes: (last - first) / 60_000 } : null;
}

/** The median value. */
export function median({ values }: Recent): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

export const highest = ({ values }: Recent): number => Math.max(...values);

export const mean = ({ values }: Recent): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Share of the readings that meet a condition. */
export const share = ({ values }: Recent, holds: (value: number) => boolean): number =>
  values.filter(holds).length / values.length;

/** `over the last 3 min`. */
export const periodText = (say: Say, { minutes }: Recent): string =>
  say('over the last {0} min', Math.max(1, Math.round(minutes)));
