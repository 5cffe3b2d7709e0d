/** Chances that can be had again: the same seed gives the same throws. */
export class Dice {
  private state: number;
  /** Characters that long words of one input may still have: some more than a file that is read may have. */
  private left = 5_000_000;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** A whole number from 0 to one below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** From `least` to `most` things. */
  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }

  /** Mostly small, now and then as large as `most`: what costs more than its size shows only at some size. */
  size(most: number): number {
    return Math.ceil(most ** (this.next() ** 2));
  }

  /** A size, for characters: all of an input's together come to no more than a few files that are read. */
  length(most: number): number {
    const length = Math.max(1, Math.min(this.size(most), this.left));
    this.left -= length;
    return length;
  }

  /** mulberry32. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
