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
  private readonly entries: { term: TermIndex; held: string; count: number; bytes: number }[] = [];

  add({ term, held, count, bytes }: Holding): void {
    const entry = this.entries.find(other => other.term === term && other.held === held);
    if (entry) {
      entry.count += count;
      entry.bytes += bytes;
    } else {
      this.entries.push({ term, held, count, bytes });
    }
  }

  of(term: TermIndex): readonly Holding[] {
    return this.entries.filter(entry => entry.term === term);
  }
}
