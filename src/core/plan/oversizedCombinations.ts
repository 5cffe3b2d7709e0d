import { trialOf } from './effect';
import type { Trial } from './effect';
import type { Extent } from '../memory/reserved';
import { Lattice } from './lattice';
import type { Counting, Indices } from './lattice';
import type { RemedyContext } from './remedy';
import { changesAt } from './slots';
import type { Slot } from './slots';

/**
 * What is smaller in a size may need a little more, where the peak is not of that size: saved inputs next to recomputed layers
 * of a short batch, segments that are filled less well. So little above the room nothing is concluded for others.
 */
const SLACK = 1.01;

/**
 * Combinations that need more than there is, however well the allocator packs. That one option leaves less of something
 * than another is said by the remedy, never supposed of an estimate; and what needs too much before the optimizer holds
 * anything does so whatever it holds.
 */
export class OversizedCombinations {
  private readonly trials = new Map<string, Trial | null>();
  private readonly whole: Lattice;
  private readonly stateless: Lattice;
  private readonly extent: Extent;
  private readonly tooManyBytes: number;

  constructor(
    private readonly context: RemedyContext,
    private readonly slots: readonly Slot[],
    roomBytes: number,
  ) {
    this.tooManyBytes = roomBytes * SLACK;
    // What was measured of one of them may say otherwise.
    const isComputed = (context.lessons?.measurements.length ?? 0) === 0;
    this.extent = { reserving: 'typical', enoughBytes: isComputed ? this.tooManyBytes : Infinity };
    const counting = (of: (slot: Slot) => Counting): readonly Counting[] =>
      slots.map(slot => (isComputed ? of(slot) : 'option'));
    this.stateless = new Lattice(
      slots,
      counting(({ isSized, remedy }) => (isSized ? 'sizes' : remedy.changesStates ? 'nothing' : 'option')),
      indices => this.exceeds(indices, trial => trial.statelessBytes),
    );
    this.whole = new Lattice(
      slots,
      counting(({ isSized, remedy }) => (isSized && !remedy.changesStates ? 'sizes' : 'option')),
      indices => this.exceeds(indices, trial => trial.leastBytes),
    );
  }

  /** Combinations that were estimated. */
  get asked(): number {
    return this.trials.size;
  }

  /** What a combination would be, as far as it is not too much; estimated once. Null where that cannot be said. */
  trial(indices: Indices): Trial | null {
    const key = indices.join();
    const known = this.trials.get(key);
    if (known !== undefined) return known;
    const trial = trialOf(this.context, changesAt(this.slots, indices), this.extent);
    this.trials.set(key, trial);
    return trial;
  }

  /** It is known of one without an estimate. */
  knows(indices: Indices): boolean {
    return this.stateless.knows(indices) || this.whole.knows(indices);
  }

  has(indices: Indices): boolean {
    return this.stateless.has(indices) || this.whole.has(indices);
  }

  /** None is small enough, whatever is combined. */
  isHopeless(): boolean {
    return this.stateless.hasAll() || this.whole.hasAll();
  }

  private exceeds(indices: Indices, bytesOf: (trial: Trial) => number): boolean {
    const trial = this.trial(indices);
    return trial !== null && bytesOf(trial) > this.tooManyBytes;
  }
}
