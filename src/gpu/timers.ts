/** Time, as this room uses it; tests bring their own. */
export interface Timers {
  now(): number;
  /** Calls once after some ms; returns what calls it off. */
  after(ms: number, call: () => void): () => void;
}

/** This machine's clock. Waiting for a timer does not keep the process alive. */
export const nodeTimers: Timers = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

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
