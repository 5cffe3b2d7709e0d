import type { Alive } from './alive';
import type { CachingAllocator } from './allocator';
import { calibration } from './calibration';
import type { Calibration } from './calibration';
import type { Journal } from './journal';
import type { MemoryRun } from './run';
import type { Marks } from './played';

/**
 * How to find reserved memory: a replay of two steps through torch's allocator, or a typical share of the allocated
 * memory, which takes a tenth of the time: enough to rank candidates, but not for a verdict.
 */
type Reserving = 'replayed' | 'typical';

/** The extent of an estimate. */
export interface Extent {
  readonly reserving: Reserving;
  /** Once the passes of a step hold more than this, the rest of the step is skipped. */
  readonly enoughBytes: number;
  /** Not replayed yet, but likely next. */
  readonly keepsJournal?: true;
}

/** The full extent. */
export const WHOLE: Extent = { reserving: 'replayed', enoughBytes: Infinity };

/** The inputs of a replay. */
interface Replay {
  readonly journal: Journal;
  readonly marks: Marks;
  /** Permanent library workspaces. */
  readonly workspaces: readonly number[];
  readonly expandableSegments: boolean;
}

/** The objects that a replay uses; both are reset each time. */
export interface Replayer {
  readonly allocator: CachingAllocator;
  readonly alive: Alive;
}

/** The result of a replay. */
export interface Replayed {
  readonly reserved: number;
  /**
   * Parts of blocks that are too small to be split off, at the peak: memory_allocated counts whole blocks
   * (c10/cuda/CUDACachingAllocator.cpp, should_split and alloc_found_block).
   */
  readonly rests: number;
}

/**
 * Memory that torch's allocator has reserved after two steps: allocations of the second step no longer fit where
 * the first ones did, because optimizer states now occupy space.
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

/**
 * Reserved memory for batches of different lengths, given that for the longest alone. `moving`: the memory that a
 * step adds.
 */
export function uneven(reserved: number, moving: number, { scalars }: Calibration = calibration): number {
  return reserved + moving * scalars.unevenShare.value;
}

/** True if a live job takes more than `reserved` when the device has the memory. */
export const isLive = ({ task, batch: { image } }: MemoryRun): boolean => task === 'train' && image === null;

/** The additional amount. */
export const live = (
  run: MemoryRun,
  reserved: number,
  room: number,
  measured: Calibration = calibration,
): number => (isLive(run) ? leastLive(reserved, room, measured) : 0);

/** The minimum for any such job, from the allocated memory, all of which is reserved. */
export const leastLive = (bytes: number, room: number, { scalars }: Calibration = calibration): number =>
  Math.max(0, Math.min(bytes * scalars.liveShare.value, room - bytes));

/** Reserved memory without a replay. */
export function typical(
  { task, recompute: { checkpointing } }: MemoryRun,
  allocated: number,
  { typicalShares: { infer, kept, checkpointed } }: Calibration = calibration,
): number {
  if (task !== 'train') return allocated * infer.value;
  return allocated * (checkpointing === 'none' ? kept : checkpointed).value;
}
