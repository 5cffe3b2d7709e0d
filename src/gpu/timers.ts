/** The clock and timers; tests provide their own. */
export interface Timers {
  now(): number;
  /** Calls once after some ms; returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** This machine's clock. Its timers do not keep the process alive. */
export const nodeTimers: Timers = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Pauses that double with each failure, from one interval up to a minute. */
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
