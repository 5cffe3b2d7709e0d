import type { Host, HostReading, HostState, HostStatus, HostWatch } from './fleet';
import type { Timers } from './timers';

/** The fields of a status in addition to its state. */
export type Circumstances = Partial<Omit<HostStatus, 'state' | 'sinceMs'>>;

const QUIET = { message: null, todo: null, text: null, nextTryMs: null };

/**
 * Shared by all watches: listeners, holds, and the latest reading. `begin` is called on the first hold, `end` after
 * the last release and `lingerMs`; a new hold within that time continues.
 */
export abstract class BaseWatch implements HostWatch {
  private readonly listeners = new Set<(reading: HostReading) => void>();
  private holds = 0;
  private isGoing = false;
  private isDisposed = false;
  private stopLingering: () => void = () => undefined;
  private current: HostReading;

  constructor(
    readonly host: Host,
    protected readonly timers: Timers,
    private readonly lingerMs = 0,
  ) {
    const status: HostStatus = {
      ...QUIET,
      state: 'idle',
      sinceMs: timers.now(),
      collector: null,
      latencyMs: null,
    };
    this.current = {
      host,
      status,
      devices: [],
      samples: [],
      processes: null,
      machine: null,
      capacities: [],
    };
  }

  get reading(): HostReading {
    return this.current;
  }

  on(listener: (reading: HostReading) => void): () => void {
    // A separate entry per call, even for the same listener.
    const entry = (reading: HostReading) => listener(reading);
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  hold(): () => void {
    this.holds += 1;
    this.stopLingering();
    if (!this.isGoing && !this.isDisposed) this.go();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holds -= 1;
      if (this.holds === 0 && this.isGoing) this.stopLater();
    };
  }

  retry(): void {
    if (!this.isGoing) return;
    this.end();
    this.begin();
  }

  dispose(): void {
    this.stopLingering();
    this.isDisposed = true;
    this.listeners.clear();
    if (this.isGoing) this.halt();
  }

  protected abstract begin(): void;
  protected abstract end(): void;

  /** Notifies listeners of a change. */
  protected notify(changes: Partial<Omit<HostReading, 'host'>>): void {
    this.current = { ...this.current, ...changes };
    for (const listener of this.listeners) listener(this.current);
  }

  /** Makes a status: details of the previous state are cleared, but the collector and its latency stay. */
  protected status(state: HostState, more: Circumstances = {}): HostStatus {
    const { status } = this.current;
    const sinceMs = status.state === state ? status.sinceMs : this.timers.now();
    const { collector, latencyMs } = status;
    return { ...QUIET, collector, latencyMs, ...more, state, sinceMs };
  }

  protected enter(state: HostState, more: Circumstances = {}): void {
    this.notify({ status: this.status(state, more) });
  }

  private go(): void {
    this.isGoing = true;
    this.begin();
  }

  private stopLater(): void {
    if (this.lingerMs === 0) this.halt();
    else this.stopLingering = this.timers.after(this.lingerMs, () => this.halt());
  }

  private halt(): void {
    this.isGoing = false;
    this.end();
    this.enter('idle');
  }
}
