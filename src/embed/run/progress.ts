/** A run's progress. Rows of earlier runs count as done; rates are this run's. */
export interface EmbedProgress {
  readonly rows: number;
  /** Null until stdin has ended. */
  readonly rowsTotal: number | null;
  readonly tokens: number;
  readonly rowsPerS: number;
  readonly tokensPerS: number;
  readonly elapsedS: number;
  readonly etaS: number | null;
  readonly shards: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** A text's weight for the remaining time: roughly its tokens, up to the model's limit. */
export const weightOf = (text: string, { maxTokens }: { readonly maxTokens: number }): number =>
  Math.min(text.length, CHARACTERS_PER_TOKEN * maxTokens) + CHARACTERS_PER_TOKEN;

/** The total work of all runs; null: unknown. */
interface Whole {
  readonly rows: number | null;
  readonly weight: number | null;
}

/** Counts a run's progress; the caller provides the clock. */
export class Meter {
  private rows = 0;
  private tokens = 0;
  private weight = 0;
  private shards = 0;
  private readonly startedMs: number;

  constructor(
    private readonly nowMs: () => number,
    private readonly whole: Whole,
    private readonly before: number,
  ) {
    this.startedMs = nowMs();
  }

  add(rows: number, tokens: number, weight: number): void {
    this.rows += rows;
    this.tokens += tokens;
    this.weight += weight;
  }

  addShard(): void {
    this.shards++;
  }

  /** Rows that an earlier run wrote to an open shard. */
  private restored = 0;

  restore(rows: number): void {
    this.restored += rows;
  }

  read(): EmbedProgress {
    const elapsedS = (this.nowMs() - this.startedMs) / 1000;
    const rowsPerS = elapsedS > 0 ? this.rows / elapsedS : 0;
    const rows = this.before + this.restored + this.rows;
    return {
      rows,
      rowsTotal: this.whole.rows,
      tokens: this.tokens,
      rowsPerS,
      tokensPerS: elapsedS > 0 ? this.tokens / elapsedS : 0,
      elapsedS,
      etaS: this.etaS(rows, elapsedS),
      shards: this.shards,
    };
  }

  /** By the weight of texts, since long ones come first; by rows if the weight is unknown. */
  private etaS(rows: number, elapsedS: number): number | null {
    const { rows: all, weight } = this.whole;
    if (all === null || this.rows === 0 || elapsedS <= 0) return null;
    const left = Math.max(0, all - rows);
    if (left === 0 || weight === null || this.weight === 0) return (left * elapsedS) / this.rows;
    const ours = weight * (1 - (this.before + this.restored) / all);
    return (Math.max(0, ours - this.weight) * elapsedS) / this.weight;
  }
}
