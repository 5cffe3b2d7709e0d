import type { Timers } from '../timers';

interface Entry {
  readonly atMs: number;
  readonly call: () => void;
}

/** How long to really wait for some ms of recorded time. */
type Pace = (ms: number) => Promise<void>;

export const atOnce: Pace = () => Promise.resolve();

/** A recording's clock: it advances when nothing more can happen at the current time. */
export class ReplayClock implements Timers {
  private entries: readonly Entry[] = [];

  constructor(private timeMs: number) {}

  now(): number {
    return this.timeMs;
  }

  after(ms: number, call: () => void): () => void {
    const entry = { atMs: this.timeMs + Math.max(0, ms), call };
    this.entries = [...this.entries, entry];
    return () => {
      this.entries = this.entries.filter(one => one !== entry);
    };
  }

  /** Advances time until `isDone`, until `endMs`, or until no timer is left. */
  async run(endMs: number, isDone: () => boolean, pace: Pace): Promise<void> {
    for (;;) {
      await quiet();
      const next = this.entries.reduce<Entry | null>(
        (first, one) => (first === null || one.atMs < first.atMs ? one : first),
        null,
      );
      if (isDone() || next === null || next.atMs > endMs) return;
      await pace(next.atMs - this.timeMs);
      if (isDone()) return;
      this.entries = this.entries.filter(one => one !== next);
      this.timeMs = Math.max(this.timeMs, next.atMs);
      next.call();
    }
  }
}

/** Event loop turns after which all work that waits for no timer is done. */
const TURNS = 10;

async function quiet(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>(resolve => setImmediate(resolve));
}
