import type { RowText } from './rowTexts';

/** The number of longest rows (in bytes) that are tokenized regardless of the sample. */
const KEPT = 64;
/** The limit for their total characters, because a row may be a book. */
const MOST_CHARACTERS = 64 << 20;

interface Kept {
  readonly row: RowText;
  readonly bytes: number;
}

/** Keeps the longest texts that it receives; they determine the memory of the longest batch. */
export class Longest {
  private kept: Kept[] = [];
  private characters = 0;
  /** Bytes of the longest text that was not kept. */
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
