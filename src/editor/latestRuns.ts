/** A clock that can be replaced in tests. */
export interface Timers {
  start(run: () => void, ms: number): unknown;
  stop(timer: unknown): void;
}

const systemTimers: Timers = {
  start: (run, ms) => setTimeout(run, ms),
  stop: timer => clearTimeout(timer as NodeJS.Timeout),
};

interface Slot<Result> {
  readonly controller: AbortController;
  readonly result: Promise<Result | null>;
  /** Starts the work now if it is still waiting. */
  readonly begin: () => void;
  readonly giveUp: () => void;
}

/**
 * One run of a piece of work per key; the newest wins. Callers that wait for an older run get null, and its signal
 * is aborted. Results stay until they are replaced or dropped.
 */
export class LatestRuns<Key, Result> {
  private readonly slots = new Map<Key, Slot<Result>>();

  /** `work` never rejects: it reports its own failures and resolves to null. */
  constructor(
    private readonly work: (key: Key, signal: AbortSignal) => Promise<Result | null>,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** Replaces the key's run with a new one that starts after a delay. */
  start(key: Key, delayMs: number): Promise<Result | null> {
    this.slots.get(key)?.giveUp();
    const slot = this.slot(key, delayMs);
    this.slots.set(key, slot);
    if (delayMs <= 0) slot.begin();
    return slot.result;
  }

  /** The newest run, finished or not; undefined if there was none. */
  latest(key: Key): Promise<Result | null> | undefined {
    return this.slots.get(key)?.result;
  }

  /** Skips the rest of the delay. */
  skipDelay(key: Key): void {
    this.slots.get(key)?.begin();
  }

  drop(key: Key): void {
    this.slots.get(key)?.giveUp();
    this.slots.delete(key);
  }

  dispose(): void {
    for (const key of [...this.slots.keys()]) this.drop(key);
  }

  private slot(key: Key, delayMs: number): Slot<Result> {
    const controller = new AbortController();
    const { promise, resolve } = withResolvers<Result | null>();
    let begun = false;
    const begin = (): void => {
      if (begun || controller.signal.aborted) return;
      begun = true;
      this.timers.stop(timer);
      void this.work(key, controller.signal).then(result =>
        resolve(controller.signal.aborted ? null : result),
      );
    };
    const timer = this.timers.start(begin, Math.max(0, delayMs));
    const giveUp = (): void => {
      this.timers.stop(timer);
      controller.abort();
      resolve(null);
    };
    return { controller, result: promise, begin, giveUp };
  }
}

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
