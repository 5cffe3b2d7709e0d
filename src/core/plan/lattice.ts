import type { Slot } from './slots';

export type Indices = readonly number[];

/** Combinations that differ only in sizes. */
interface SizeVariants {
  /** Sizes that are known to be too large. */
  readonly refused: (readonly number[])[];
  /** The smallest combinations have been tried. */
  isProbed: boolean;
}

/** How a slot distinguishes its options: by size, by index, or not at all. */
export type Counting = 'sizes' | 'option' | 'nothing';

/** With more kinds than this, `hasAll` does not try them one by one. */
const MOST_KINDS = 256;

/**
 * A set of refused combinations. If one is refused, so are all combinations that differ only in sizes and are
 * nowhere smaller. A bisection finds the smallest refused one, so that few combinations have to be tried.
 */
export class Lattice {
  private readonly variants = new Map<string, SizeVariants>();
  /** For each slot, the options with no smaller one. */
  private readonly smallest: readonly Indices[];

  constructor(
    private readonly slots: readonly Slot[],
    private readonly counting: readonly Counting[],
    private readonly refuses: (indices: Indices) => boolean,
  ) {
    this.smallest = slots.map(({ chains }) => [...chains.keys()].filter(i => chains[i]?.length === 0));
  }

  /** True if it is known without a trial. */
  knows(indices: Indices): boolean {
    return this.isRefused(this.variantsOf(indices), indices);
  }

  has(indices: Indices): boolean {
    const sizeVariants = this.variantsOf(indices);
    if (this.isRefused(sizeVariants, indices)) return true;
    if (!this.refuses(indices)) return false;
    this.probe(sizeVariants, indices);
    if (!this.isRefused(sizeVariants, indices)) {
      sizeVariants.refused.push(
        this.sizesAt(this.slots.reduce<Indices>((at, _, i) => this.halved(at, i), indices)),
      );
    }
    return true;
  }

  /** True if all combinations are refused; false also if there are too many kinds to try. */
  hasAll(): boolean {
    const choices = this.slots.map(({ options }, i) =>
      this.counting[i] === 'option' ? [...options.keys()] : [0],
    );
    const kinds = product(choices);
    if (kinds === null) return false;
    return kinds.reverse().every(kind => {
      const sizeVariants = this.variantsOf(kind);
      this.probe(sizeVariants, kind);
      return this.smallestOf(kind)?.every(indices => this.isRefused(sizeVariants, indices)) ?? false;
    });
  }

  private isRefused({ refused }: SizeVariants, indices: Indices): boolean {
    if (refused.length === 0) return false;
    const sizes = this.sizesAt(indices);
    return refused.some(other => other.every((size, i) => size <= (sizes[i] ?? 0)));
  }

  /** Tries the smallest combinations of a kind, once. */
  private probe(sizeVariants: SizeVariants, indices: Indices): void {
    if (sizeVariants.isProbed) return;
    sizeVariants.isProbed = true;
    for (const least of this.smallestOf(indices) ?? []) {
      if (this.refuses(least)) sizeVariants.refused.push(this.sizesAt(least));
    }
  }

  private smallestOf(indices: Indices): Indices[] | null {
    return product(indices.map((at, i) => (this.counts(i) ? (this.smallest[i] ?? [at]) : [at])));
  }

  /** The combination with the smallest size of one slot that is still refused. */
  private halved(indices: Indices, slot: number): Indices {
    const smaller = this.counts(slot) ? (this.slots[slot]?.chains[indices[slot] ?? 0] ?? []) : [];
    if (smaller.length === 0) return indices;
    const refusesAt = (place: number): boolean =>
      this.refuses(indices.with(slot, smaller[place] ?? indices[slot] ?? 0));
    // Usually the smallest is refused, too.
    let [from, to] = refusesAt(0) ? [0, 0] : [1, smaller.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (refusesAt(middle)) to = middle;
      else from = middle + 1;
    }
    const found = smaller[from];
    return found === undefined ? indices : indices.with(slot, found);
  }

  private counts(slot: number): boolean {
    return this.counting[slot] === 'sizes';
  }

  private variantsOf(indices: Indices): SizeVariants {
    const key = indices.map((at, i) => (this.counting[i] === 'option' ? at : -1)).join();
    const sizeVariants = this.variants.get(key) ?? { refused: [], isProbed: false };
    this.variants.set(key, sizeVariants);
    return sizeVariants;
  }

  private sizesAt(indices: Indices): readonly number[] {
    return this.slots.flatMap(({ options }, i) =>
      this.counts(i) ? (options[indices[i] ?? 0]?.sizes ?? []) : [],
    );
  }
}

/** The Cartesian product; null if it is too large. */
function product(choices: readonly Indices[]): Indices[] | null {
  const count = choices.reduce((all, some) => all * some.length, 1);
  if (count > MOST_KINDS) return null;
  let all: Indices[] = [[]];
  for (const some of choices) all = all.flatMap(before => some.map(choice => [...before, choice]));
  return all;
}
