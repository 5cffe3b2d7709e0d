import { setTimeout as pause } from 'node:timers/promises';
import type { JobState } from '../job';
import { lastProgress, together } from './progress';
import type { PartProgress } from './partsFile';
import type { ShardProgress, WholeProgress } from './progress';
import { afterFailure, nextStarts } from './schedule';
import type { Shard } from './schedule';
import type { Slot } from './slots';
import { reasonOf } from '../../core/text/errors';

/** A part's job as it stands. */
export interface ShardSeen {
  readonly state: JobState;
  readonly message: string | null;
  /** The scheduler's machine that it runs or ran on; absent or null: not known, or there is no scheduler. */
  readonly machine?: string | null;
}

/** What a run of parts needs of the world. */
export interface ShardPort {
  /** Starts a part; the job's id. */
  start(shard: Shard, slot: Slot): Promise<string>;
  look(job: string): Promise<ShardSeen>;
  /** Output from a byte on. */
  read(job: string, offset: number): Promise<Uint8Array>;
  /** Brings the part here and says whether it is whole; called once its job has succeeded. */
  collect(shard: Shard): Promise<void>;
  stop(job: string): Promise<void>;
  /** Keeps how it stands, so that another run goes on with it. */
  keep(shards: readonly Shard[]): Promise<void>;
  /** A sentence for people. */
  say(text: string): void;
}

export interface ShardRunView {
  readonly shards: readonly Shard[];
  readonly progress: WholeProgress;
  /** How far each is; null: it has not said. */
  readonly parts: readonly (PartProgress | null)[];
}

const LOOK_MS = 1000;
/** The last lines of a part's output are enough to see how far it is. */
const MOST_PIECES = 64;

/** Runs parts on slots until all are done: what fails is tried again elsewhere. */
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

  /** True when all parts are done. An abort leaves the jobs as they are: another run goes on with them. */
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

  /** Ends what runs. */
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
      // Its starter was killed before the job's number was kept: a second one does no harm.
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
      // Where someone stopped it the machine is not to blame.
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
    this.port.say(`Part ${shard.index + 1} on ${on}: ${why.replace(/[.\s]+$/, '')}; ${then}.`);
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

/** One that is done has all its rows, whatever its last line said. */
const reached = ({ isDone, progress }: { isDone: boolean; progress: ShardProgress | null }) =>
  progress && {
    rows: isDone ? (progress.rowsTotal ?? progress.rows) : progress.rows,
    rowsTotal: progress.rowsTotal,
  };

/** Ray names its machines by 56 digits, and shows the first of them. */
const nameOf = (machine: string): string => (/^[0-9a-f]{40,}$/.test(machine) ? machine.slice(0, 8) : machine);
