import type { Alive } from './alive';
import type { CachingAllocator } from './allocator';
import { calibration } from './calibration';
import type { Calibration } from './calibration';
import type { Journal } from './journal';
import type { MemoryRun } from './run';
import type { Marks } from './timeline';

/**
 * How reserved memory is found: by replaying two steps through torch's allocator, or as a typical share of what is
 * allocated, which takes a tenth of the time: enough to rank candidates, not to say whether one fits.
 */
export type Reserving = 'replayed' | 'typical';

/** How far an estimate is worked out. */
export interface Extent {
  readonly reserving: Reserving;
  /** Once the passes of a step have held more than this, the rest of it is not asked for. */
  readonly enoughBytes: number;
  /** Not replayed yet, but likely next. */
  readonly keepsJournal?: true;
}

/** All of it. */
export const WHOLE: Extent = { reserving: 'replayed', enoughBytes: Infinity };

/** What decides how the allocator sees a run. */
export interface Replay {
  readonly journal: Journal;
  readonly marks: Marks;
  /** Library workspaces, which stay. */
  readonly workspaces: readonly number[];
  readonly expandableSegments: boolean;
}

/** What a replay is played with; both begin anew with each. */
export interface Replayer {
  readonly allocator: CachingAllocator;
  readonly alive: Alive;
}

/** What a replay ends with. */
export interface Replayed {
  readonly reserved: number;
  /**
   * Rests of blocks that are too small to be split off, at the peak: memory_allocated counts blocks whole
   * (c10/cuda/CUDACachingAllocator.cpp, should_split and alloc_found_block).
   */
  readonly rests: number;
}

/**
 * What torch's allocator has reserved after two steps: what the second allocates no longer fits where the first did,
 * because optimizer states have moved in.
 */
export function replayed(
  { journal, marks, workspaces, expandableSegments }: Replay,
  { allocator, alive }: Replayer,
): Replayed {
  allocator.begin(expandableSegments);
  alive.begin(journal.ids);
  const play = (from: number, to: number): void => journal.play(allocator, alive, from, to);
  play(0, marks.load);
  for (const bytes of workspaces) allocator.allocate(bytes);
  play(marks.load, marks.backward);
  if (marks.backward < marks.end) {
    play(marks.backward, marks.firstOptimizerStep);
    play(marks.optimizerStep, marks.end);
    play(marks.load, marks.backward);
    play(marks.firstOptimizerStep, marks.optimizerStep);
    if (marks.end < marks.after) {
      play(marks.optimizerStep, marks.end);
      play(marks.end, marks.after);
    }
  }
  const { reserved, peak } = allocator;
  return { reserved, rests: peak.allocated - peak.asked };
}

/** Reserved for batches of different lengths, given what the longest alone reserve. `moving`: what a step adds. */
export function uneven(reserved: number, moving: number, { scalars }: Calibration = calibration): number {
  return reserved + moving * scalars.unevenShare.value;
}

/** Whether a live job takes more than `reserved`, where the device has it. */
export const isLive = ({ task, batch: { image } }: MemoryRun): boolean => task === 'train' && image === null;

/** How much more that is. */
export const live = (
  run: MemoryRun,
  reserved: number,
  room: number,
  measured: Calibration = calibration,
): number => (isLive(run) ? leastLive(reserved, room, measured) : 0);

/** The same of a job that takes any: with what is allocated the least that it can be, as all of that is reserved. */
export const leastLive = (bytes: number, room: number, { scalars }: Calibration = calibration): number =>
  Math.max(0, Math.min(bytes * scalars.liveShare.value, room - bytes));

/** Reserved where nothing is replayed. */
export function typical(
  { task, recompute: { checkpointing } }: MemoryRun,
  allocated: number,
  { typicalShares: { infer, kept, checkpointed } }: Calibration = calibration,
): number {
  if (task !== 'train') return allocated * infer.value;
  return allocated * (checkpointing === 'none' ? kept : checkpointed).value;
}
