import type { RowText } from './rowTexts';

/** Rows with the most bytes that are kept to be tokenised whatever the sample is. */
const KEPT = 64;
/** Characters of them together: a row may be a book. */
const MOST_CHARACTERS = 64 << 20;

interface Kept {
  readonly row: RowText;
  readonly bytes: number;
}

/** The longest of the texts that it is offered; they decide what the longest batch takes. */
export class Longest {
  private kept: Kept[] = [];
  private characters = 0;
  /** Bytes of the longest text that is not kept. */
  nextBytes = 0;

  offer(row: RowText, bytes: number): void {
    const least = this.kept.at(-1);
    if (this.kept.length >= KEPT && least && bytes <= least.bytes) {
      this.nextBytes = Math.max(this.nextBytes, bytes);
      return;
    }
    const at = this.kept.findIndex(other => other.bytes < bytes);
    this.kept.splice(at < 0 ? this.kept.length : at, 0, { row, bytes });
    this.characters += row.text.length;
    while (this.kept.length > KEPT || (this.characters > MOST_CHARACTERS && this.kept.length > 1)) {
      this.drop();
    }
  }

  private drop(): void {
    const dropped = this.kept.pop();
    if (!dropped) return;
    this.characters -= dropped.row.text.length;
    this.nextBytes = Math.max(this.nextBytes, dropped.bytes);
  }

  get rows(): readonly RowText[] {
    return this.kept.map(({ row }) => row);
  }
}
