import { highest, mean, recent, share } from './signals';
import type { Recent, Signals } from './signals';

/** The guides' threshold for a GPU that gets too little work. */
export const LOW_UTIL_PCT = 50;
/** The guides' range for memory in use: below this there is room for a larger batch. */
export const SPARE_SHARE = 0.85;
/** Above this there is no room for variation between steps. */
export const FULL_SHARE = 0.95;

/** A busy GPU: it computed in at least a tenth of the readings. An idle window says nothing about a run. */
export function utilizationAtWork({ utilPct, nowMs }: Signals): Recent | null {
  const util = recent(utilPct, nowMs);
  return util !== null && share(util, value => value >= 10) >= 0.1 ? util : null;
}

/** Recent peak share of memory in use; null: unknown. */
export function memoryShare({ memoryUsedMiB, memoryTotalMiB, nowMs }: Signals): number | null {
  const used = recent(memoryUsedMiB, nowMs);
  return used === null || !memoryTotalMiB ? null : highest(used) / memoryTotalMiB;
}

/** Bursts of work between pauses: both are frequent, and alternate often. */
export function isSawTooth(util: Recent): boolean {
  const isHigh = util.values.filter(value => value >= 70 || value <= 30).map(value => value >= 70);
  const changes = isHigh.filter((high, i) => i > 0 && high !== isHigh[i - 1]).length;
  const [low, high] = [share(util, value => value <= 30), share(util, value => value >= 70)];
  return low >= 0.15 && high >= 0.15 && changes >= 6;
}

/** Load of all cores of the machine together, in percent; null: unknown. */
export function cpuLoad({ cpuPct, nowMs }: Signals): number | null {
  const cpu = recent(cpuPct, nowMs);
  return cpu === null ? null : mean(cpu);
}
