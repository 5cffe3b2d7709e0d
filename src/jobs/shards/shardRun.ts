import { setTimeout as pause } from 'node:timers/promises';
import type { JobState } from '../job';
import { lastProgress, together } from './progress';
import type { PartProgress } from './partsFile';
import type { ShardProgress, WholeProgress } from './progress';
import { afterFailure, nextStarts } from './schedule';
import type { Shard } from './schedule';
import type { Slot } from './slots';
import { reasonOf } from '../../core/text/errors';

/** The state of a part's job. */
export interface ShardSeen {
  readonly state: JobState;
  readonly message: string | null;
  /** The scheduler's machine that it runs or ran on; absent or null: unknown, or there is no scheduler. */
  readonly machine?: string | null;
}

/** What a run of parts needs from outside. */
interface ShardPort {
  /** Starts a part; returns the job's id. */
  start(shard: Shard, slot: Slot): Promise<string>;
  look(job: string): Promise<ShardSeen>;
  /** Reads output from a byte on. */
  read(job: string, offset: number): Promise<Uint8Array>;
  /** Copies the part here and verifies that it is complete; called once its job has succeeded. */
  collect(shard: Shard): Promise<void>;
  stop(job: string): Promise<void>;
  /** Stores the state, so that another run can continue. */
  keep(shards: readonly Shard[]): Promise<void>;
  /** Reports a sentence to the user. */
  tell(text: string): void;
}

export interface ShardRunView {
  readonly shards: readonly Shard[];
  readonly progress: WholeProgress;
  /** The progress of each part; null: not reported. */
  readonly parts: readonly (PartProgress | null)[];
}

const LOOK_MS = 1000;
/** A limit for reading output, because a part's last lines contain its progress. */
const MOST_PIECES = 64;

/** Runs parts on slots until all are done; failed parts are retried elsewhere. */
export class ShardRun {
  private readonly spoiled = new Map<string, number>();
  private readonly progress = new Map<number, ShardProgress>();
  private readonly offsets = new Map<string, number>();
  private shards: readonly Shard[];

  constructor(
    shards: readonly Shard[],
    private readonly slots: readonly Slot[],
    private readonly port: ShardPort,
    private readonly lookMs = LOOK_MS,
  ) {
    this.shards = shards;
  }

  view(): ShardRunView {
    const parts = this.shards.map(({ index, state }) => ({
      isDone: state === 'done',
      progress: this.progress.get(index) ?? null,
    }));
    return { shards: this.shards, progress: together(parts), parts: parts.map(reached) };
  }

  /** True when all parts are done. An abort leaves the jobs running: another run can continue with them. */
  async run(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await Promise.all(
        this.shards.filter(({ state }) => state === 'running').map(shard => this.lookAt(shard)),
      );
      const starts = nextStarts(this.shards, this.slots, this.spoiled);
      await Promise.all(starts.map(({ shard, slot }) => this.start(shard, slot)));
      if (this.shards.every(({ state }) => state === 'done' || state === 'failed')) break;
      await pause(this.lookMs, undefined, { signal }).catch(() => undefined);
    }
    return this.shards.every(({ state }) => state === 'done');
  }

  /** Stops the running jobs. */
  async stop(): Promise<void> {
    const jobs = this.shards.flatMap(({ state, job }) => (state === 'running' && job !== null ? [job] : []));
    await Promise.all(jobs.map(job => this.port.stop(job).catch(() => undefined)));
  }

  private async start(shard: Shard, slot: Slot): Promise<void> {
    await this.set({ ...shard, state: 'running', slot: slot.name, job: null });
    try {
      const job = await this.port.start(shard, slot);
      await this.set({ ...shard, state: 'running', slot: slot.name, job });
    } catch (error) {
      await this.failed({ ...shard, slot: slot.name }, reasonOf(error));
    }
  }

  private async lookAt(shard: Shard): Promise<void> {
    if (shard.job === null) {
      // Its starter was killed before the job's id was stored: starting it again does no harm.
      await this.set({ ...shard, state: 'waiting' });
      return;
    }
    const seen = await this.port
      .look(shard.job)
      .catch((): ShardSeen => ({ state: 'unknown', message: null }));
    const { state, message, machine = null } = seen;
    if (state !== 'unknown') await this.readOn(shard, shard.job);
    if (state === 'succeeded') await this.collect(shard, machine);
    else if (state === 'failed' || state === 'lost' || state === 'stopped') {
      const why = message ?? `its job ${shard.job} ${state === 'stopped' ? 'was stopped' : state}`;
      // If the user stopped it, the machine is not at fault.
      await this.failed(shard, why, state === 'stopped' ? null : machine);
    }
  }

  private async collect(shard: Shard, machine: string | null): Promise<void> {
    try {
      await this.port.collect(shard);
      this.spoiled.delete(shard.slot ?? '');
      await this.set({ ...shard, state: 'done' });
    } catch (error) {
      await this.failed(shard, reasonOf(error), machine);
    }
  }

  private async failed(shard: Shard, why: string, machine: string | null = null): Promise<void> {
    const slot = shard.slot ?? '';
    const host = this.slots.find(({ name }) => name === slot)?.host ?? slot;
    this.spoiled.set(slot, (this.spoiled.get(slot) ?? 0) + 1);
    this.progress.delete(shard.index);
    const next = afterFailure(shard, host, machine);
    const on = machine === null ? slot : `${slot} (${nameOf(machine)})`;
    const then = next.state === 'failed' ? 'it is not retried' : 'it is retried elsewhere';
    this.port.tell(`Part ${shard.index + 1} on ${on}: ${why.replace(/(?<![.\s])[.\s]+$/, '')}; ${then}.`);
    await this.set(next);
  }

  private async readOn(shard: Shard, job: string): Promise<void> {
    for (let piece = 0; piece < MOST_PIECES; piece++) {
      const offset = this.offsets.get(job) ?? 0;
      const bytes = await this.port.read(job, offset).catch(() => new Uint8Array());
      if (bytes.length === 0) return;
      this.offsets.set(job, offset + bytes.length);
      const seen = lastProgress(new TextDecoder().decode(bytes));
      if (seen !== null) this.progress.set(shard.index, seen);
    }
  }

  private async set(shard: Shard): Promise<void> {
    this.shards = this.shards.map(other => (other.index === shard.index ? shard : other));
    await this.port.keep(this.shards);
  }
}

/** A finished part has all of its rows, whatever its last line says. */
const reached = ({ isDone, progress }: { isDone: boolean; progress: ShardProgress | null }) =>
  progress && {
    rows: isDone ? (progress.rowsTotal ?? progress.rows) : progress.rows,
    rowsTotal: progress.rowsTotal,
  };

/** Ray's machine names have 56 digits; only the first are shown. */
const nameOf = (machine: string): string => (/^[0-9a-f]{40,}$/.test(machine) ? machine.slice(0, 8) : machine);
