/** How far a run is. Rows of earlier runs count as done; rates are those of this run. */
export interface EmbedProgress {
  readonly rows: number;
  /** Null while what is piped in has not ended. */
  readonly rowsTotal: number | null;
  readonly tokens: number;
  readonly rowsPerS: number;
  readonly tokensPerS: number;
  readonly elapsedS: number;
  readonly etaS: number | null;
  readonly shards: number;
}

/** Counts a run; the clock is handed in. */
export class Meter {
  private rows = 0;
  private tokens = 0;
  private shards = 0;
  private readonly startedMs: number;

  constructor(
    private readonly nowMs: () => number,
    private readonly total: number | null,
    private readonly before: number,
  ) {
    this.startedMs = nowMs();
  }

  add(rows: number, tokens: number): void {
    this.rows += rows;
    this.tokens += tokens;
  }

  addShard(): void {
    this.shards++;
  }

  /** Rows of a shard that an earlier run left open. */
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
      rowsTotal: this.total,
      tokens: this.tokens,
      rowsPerS,
      tokensPerS: elapsedS > 0 ? this.tokens / elapsedS : 0,
      elapsedS,
      etaS: this.total === null || rowsPerS === 0 ? null : Math.max(0, this.total - rows) / rowsPerS,
      shards: this.shards,
    };
  }
}
