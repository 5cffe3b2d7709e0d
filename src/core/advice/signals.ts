/** Readings of one measure, oldest first; NaN where it was not read. */
export interface Trace {
  readonly timesMs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A program that holds memory of the GPU. Null: hidden or not printed. */
export interface Holder {
  readonly pid: number;
  readonly name: string | null;
  readonly user: string | null;
  readonly memoryUsedMiB: number | null;
  /** Draws a screen and does not compute. */
  readonly graphicsOnly: boolean;
}

/** Why the clock is held back, and in what share of the readings. */
export interface Throttle {
  readonly reason: string;
  readonly share: number;
}

/** What is known of one GPU and the machine around it, lately. */
export interface Signals {
  /** The clock of the traces, now. */
  readonly nowMs: number;
  /** Null: not known, or not the GPU's own (unified memory). */
  readonly memoryTotalMiB: number | null;
  readonly utilPct: Trace;
  readonly memoryUsedMiB: Trace;
  readonly tempC: Trace;
  readonly powerW: Trace;
  readonly powerLimitW: Trace;
  /** Of the whole machine. */
  readonly cpuPct: Trace;
  /** Null: the tool does not tell. */
  readonly throttled: readonly Throttle[] | null;
  /** Null: not known. */
  readonly holders: readonly Holder[] | null;
}

/** The readings of the last minutes, when there are enough of them. */
export interface Recent {
  /** Read values, oldest first. */
  readonly values: readonly number[];
  /** From the first to the last of them. */
  readonly minutes: number;
}

/** What advice looks back on. */
export const WINDOW_MS = 180_000;

/** Less than this says nothing: loading a model or saving a checkpoint takes as long. */
const LEAST_MS = 90_000;
const LEAST_READINGS = 12;

/** The last reading may be this old; after that no one knows what holds now. */
const FRESH_MS = 20_000;

/** The readings to judge by; null when they are too few, too short or too old. */
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

/** The value in the middle. */
export function median({ values }: Recent): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

export const highest = ({ values }: Recent): number => Math.max(...values);

export const mean = ({ values }: Recent): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Share of the readings for which something holds. */
export const share = ({ values }: Recent, holds: (value: number) => boolean): number =>
  values.filter(holds).length / values.length;

/** `over the last 3 min`. */
export const overMinutes = ({ minutes }: Recent): string =>
  `over the last ${Math.max(1, Math.round(minutes))} min`;
