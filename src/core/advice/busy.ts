import { highest, mean, recent, share } from './signals';
import type { Recent, Signals } from './signals';

/** The guides' bar for a GPU that is fed too little. */
export const LOW_UTIL_PCT = 50;
/** The guides' range for memory in use: up to here there is room for a larger batch. */
export const SPARE_SHARE = 0.85;
/** And from here on there is none for what varies from step to step. */
export const FULL_SHARE = 0.95;

/** A GPU at work: it computed in at least a tenth of the readings. A window without work says nothing of a run. */
export function utilisationAtWork({ utilPct, nowMs }: Signals): Recent | null {
  const util = recent(utilPct, nowMs);
  return util !== null && share(util, value => value >= 10) >= 0.1 ? util : null;
}

/** Highest share of the memory in use lately; null where it is not known. */
export function memoryShare({ memoryUsedMiB, memoryTotalMiB, nowMs }: Signals): number | null {
  const used = recent(memoryUsedMiB, nowMs);
  return used === null || !memoryTotalMiB ? null : highest(used) / memoryTotalMiB;
}

/** Bursts of work between pauses: both often, and changing often from one to the other. */
export function isSawTooth(util: Recent): boolean {
  const isHigh = util.values.filter(value => value >= 70 || value <= 30).map(value => value >= 70);
  const changes = isHigh.filter((high, i) => i > 0 && high !== isHigh[i - 1]).length;
  const [low, high] = [share(util, value => value <= 30), share(util, value => value >= 70)];
  return low >= 0.15 && high >= 0.15 && changes >= 6;
}

/** How busy all cores of the machine are together, in percent; null: not known. */
export function cpuLoad({ cpuPct, nowMs }: Signals): number | null {
  const cpu = recent(cpuPct, nowMs);
  return cpu === null ? null : mean(cpu);
}
