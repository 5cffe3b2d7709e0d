/** Pauses that double with each failure, from one interval to a minute. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly firstMs: number,
    private readonly mostMs = 60_000,
  ) {}

  next(): number {
    const pause = Math.min(this.mostMs, this.firstMs * 2 ** this.failures);
    this.failures = Math.min(this.failures + 1, 16);
    return pause;
  }

  reset(): void {
    this.failures = 0;
  }
}
