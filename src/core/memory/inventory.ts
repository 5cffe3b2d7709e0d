import type { TermIndex } from './terms';

/** Parameters of one kind: how many, and the device bytes that hold them. */
export interface Holding {
  readonly term: TermIndex;
  /** `bf16`, `fp32`, `nf4` … */
  readonly held: string;
  readonly count: number;
  readonly bytes: number;
}

/** What a model's parameters are held in, for the formulas of the sum. */
export class Inventory {
  private readonly entries = new Map<
    string,
    { term: TermIndex; held: string; count: number; bytes: number }
  >();

  add({ term, held, count, bytes }: Holding): void {
    const key = `${term} ${held}`;
    const entry = this.entries.get(key) ?? { term, held, count: 0, bytes: 0 };
    entry.count += count;
    entry.bytes += bytes;
    this.entries.set(key, entry);
  }

  of(term: TermIndex): readonly Holding[] {
    return [...this.entries.values()].filter(entry => entry.term === term);
  }
}
