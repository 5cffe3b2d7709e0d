import type { Measure } from '../../gpu/sample';

/** The charted measures, in this order. */
export const CHARTED = ['memoryUsedMiB', 'utilPct', 'tempC', 'powerW'] as const satisfies readonly Measure[];

export type Charted = (typeof CHARTED)[number];

/** The time windows of charts, in ms, with their labels. */
export const WINDOWS = [
  { ms: 60_000, name: '1 min' },
  { ms: 300_000, name: '5 min' },
  { ms: 900_000, name: '15 min' },
  { ms: 1_800_000, name: '30 min' },
  { ms: 3_600_000, name: '1 h' },
] as const;
