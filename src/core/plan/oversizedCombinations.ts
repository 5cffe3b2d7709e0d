import { trialOf } from './effect';
import type { Trial } from './effect';
import type { Extent } from '../memory/reserved';
import { Lattice } from './lattice';
import type { Counting, Indices } from './lattice';
import type { RemedyContext } from './remedy';
import { changesAt } from './slots';
import type { Slot } from './slots';

/**
 * A smaller size can need slightly more memory if it does not decide the peak: saved inputs next to recomputed
 * layers of a short batch, less well filled segments. This close to the limit, nothing follows for other
 * combinations.
 */
const SLACK = 1.01;

/**
 * Combinations that exceed the device, however well the allocator packs. Only a remedy's stated sizes say that an
 * option needs less than another, never an estimate. A combination that is too large before the optimizer has
 * states is so with any states.
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
    // Measurements of a combination may contradict.
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

  /** Number of estimated combinations. */
  get asked(): number {
    return this.trials.size;
  }

  /** The trial of a combination, exact unless it is too large; cached. Null if it cannot be estimated. */
  trial(indices: Indices): Trial | null {
    const key = indices.join();
    const known = this.trials.get(key);
    if (known !== undefined) return known;
    const trial = trialOf(this.context, changesAt(this.slots, indices), this.extent);
    this.trials.set(key, trial);
    return trial;
  }

  /** True if it is known without an estimate. */
  knows(indices: Indices): boolean {
    return this.stateless.knows(indices) || this.whole.knows(indices);
  }

  has(indices: Indices): boolean {
    return this.stateless.has(indices) || this.whole.has(indices);
  }

  /** True if no combination is small enough. */
  isHopeless(): boolean {
    return this.stateless.hasAll() || this.whole.hasAll();
  }

  private exceeds(indices: Indices, bytesOf: (trial: Trial) => number): boolean {
    const trial = this.trial(indices);
    return trial !== null && bytesOf(trial) > this.tooManyBytes;
  }
}
