import { Backoff } from './timers';
import type { Host, HostReading, HostState } from './fleet';
import type { Timers } from './timers';
import { BaseWatch } from './watch';
import type { Circumstances } from './watch';
import { oneLine } from '../remote/words';

/** A cluster's reading, or why there is none. */
export type ClusterAnswer =
  | {
      readonly ok: true;
      readonly reading: Partial<Pick<HostReading, 'devices' | 'samples' | 'processes' | 'capacities'>>;
      /** `scontrol`, `Ray 2.60.0`. */
      readonly collector: string;
      /** A problem despite the answer; null: none. */
      readonly message: string | null;
    }
  | {
      readonly ok: false;
      readonly state: HostState;
      readonly why: Circumstances;
      /** Only the user can fix it, so automatic retries would be pointless. */
      readonly isFinal: boolean;
    };

/** An answer without a reading: what happened, what to do, and the scheduler's own words. */
export const failed = (
  state: HostState,
  message: string,
  todo: string,
  text = '',
  isFinal = false,
): ClusterAnswer => ({ ok: false, state, why: { message, todo, text: oneLine(text) }, isFinal });

/** A scheduler that reports what its cluster has. */
export interface Cluster {
  ask(): Promise<ClusterAnswer>;
  /** Cancels pending queries; it may be queried again later. */
  close(): void;
}

/** The longest pause after failures: repairing a cluster takes minutes, not seconds. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Polls a scheduler while it is held: one query at a time, with longer pauses while it fails. */
export class ClusterWatch extends BaseWatch {
  private readonly backoff: Backoff;
  private stretch = 0;
  private cancel: () => void = () => undefined;

  constructor(
    host: Host,
    private readonly cluster: Cluster,
    private readonly intervalMs: number,
    timers: Timers,
    lingerMs = 0,
  ) {
    super(host, timers, lingerMs);
    this.backoff = new Backoff(intervalMs, LONGEST_PAUSE_MS);
  }

  protected begin(): void {
    this.stretch += 1;
    this.backoff.reset();
    this.enter('connecting');
    void this.round(this.stretch);
  }

  protected end(): void {
    this.stretch += 1;
    this.cancel();
    this.cluster.close();
  }

  private async round(stretch: number): Promise<void> {
    const requestedMs = this.timers.now();
    const answer = await this.cluster.ask();
    if (stretch !== this.stretch) return;
    if (answer.ok) this.succeeded(answer, this.timers.now() - requestedMs);
    else this.failed(answer);
  }

  private succeeded(answer: ClusterAnswer & { ok: true }, latencyMs: number): void {
    this.backoff.reset();
    const { reading, collector, message } = answer;
    const hasGpus = (reading.capacities ?? []).length > 0 || (reading.devices ?? []).length > 0;
    this.notify({
      ...reading,
      status: this.status(hasGpus ? 'live' : 'no-gpu', { collector, latencyMs, message }),
    });
    this.again(this.intervalMs);
  }

  private failed({ state, why, isFinal }: ClusterAnswer & { ok: false }): void {
    const pause = this.backoff.next();
    this.enter(state, { ...why, nextTryMs: isFinal ? null : this.timers.now() + pause });
    if (!isFinal) this.again(pause);
  }

  private again(ms: number): void {
    const { stretch } = this;
    this.cancel = this.timers.after(ms, () => void this.round(stretch));
  }
}
