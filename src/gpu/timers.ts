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
