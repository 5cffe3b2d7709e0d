import { MEASURES } from './sample';
import type { Measure } from './sample';
import type { SampleRing } from './sampleRing';

/** Older readings are thinned to one per this time. */
export const THINNED_MS = 5000;

type Joining = 'highest' | 'lowest' | 'mean';

/** Peaks of memory and temperature, and minima of free memory, must not be averaged away. */
const HOW: Partial<Readonly<Record<Measure, Joining>>> = {
  memoryUsedMiB: 'highest',
  memoryUsedPct: 'highest',
  memoryAllocatedMiB: 'highest',
  memoryReservedMiB: 'highest',
  memoryFreeMiB: 'lowest',
  tempC: 'highest',
  tempHotspotC: 'highest',
  tempMemC: 'highest',
};

/** Takes readings, oldest first, and merges those within the same five seconds. */
export class Thinner {
  private bucket = NaN;
  /** Counts of the open bucket, in the order of the measures. */
  private readonly counts = new Uint16Array(MEASURES.length);
  private readonly values = new Float64Array(MEASURES.length);

  constructor(private readonly to: SampleRing) {}

  add(timeMs: number, valueOf: (measure: Measure) => number): void {
    const bucket = Math.floor(timeMs / THINNED_MS);
    if (bucket === this.bucket) this.to.moveLast(timeMs);
    else this.open(timeMs);
    this.bucket = bucket;
    MEASURES.forEach((measure, at) => {
      const value = valueOf(measure);
      if (Number.isNaN(value)) return;
      const count = this.counts[at] ?? 0;
      const joined =
        count === 0 ? value : joinedBy(HOW[measure] ?? 'mean', this.values[at] ?? 0, value, count);
      this.values[at] = joined;
      this.counts[at] = count + 1;
      this.to.setLast(measure, joined);
    });
  }

  clear(): void {
    this.bucket = NaN;
  }

  private open(timeMs: number): void {
    this.to.begin(timeMs);
    this.counts.fill(0);
  }
}

function joinedBy(how: Joining, before: number, value: number, count: number): number {
  if (how === 'highest') return Math.max(before, value);
  if (how === 'lowest') return Math.min(before, value);
  return before + (value - before) / (count + 1);
}
