import type { Timers } from '../../src/gpu/timers';

/** A clock that a test advances by hand. */
export class HandTimers implements Timers {
  private waiting: { readonly atMs: number; readonly call: () => void }[] = [];

  constructor(private nowMs: number) {}

  now(): number {
    return this.nowMs;
  }

  after(ms: number, call: () => void): () => void {
    const entry = { atMs: this.nowMs + ms, call };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter(one => one !== entry);
    };
  }

  to(nowMs: number): void {
    for (;;) {
      const next = this.waiting.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next || next.atMs > nowMs) break;
      this.waiting = this.waiting.filter(one => one !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.call();
    }
    this.nowMs = nowMs;
  }
}
