import { JobError } from './engine';
import type { FilesToBring, JobEngine, JobSighting, OutputPiece } from './engine';
import { endingOf } from './ending';
import { Follower } from './follower';
import { newJobId } from './id';
import type { JobPlace, JobRecord, JobRequest, JobState, Starter } from './job';
import type { Jobs, JobView } from './jobs';
import { measurementsOf } from './measured';
import type { KeepMeasurement } from './measured';
import type { JobSample } from './samples';
import { readParts } from './shards/partsFile';
import { isFinal, settled } from './settle';
import { thisStarter } from './starter';
import { climb, STOP_PAUSES } from './stopLadder';
import type { StopPauses } from './stopLadder';
import { JobStore } from './store';
import { StoreWatch } from './storeWatch';
import { peaksOf } from './remote/watched';
import type { Signal } from '../core/signal';
import { reasonOf } from '../core/text/errors';

export interface JobsRoom {
  /** The user's state folder (`stateFolder()`). */
  readonly state: string;
  readonly engines: readonly JobEngine[];
  readonly pauses?: StopPauses;
  /** Keeps what was measured; absent: nobody does. */
  readonly keepMeasurement?: KeepMeasurement;
}

/** A host that does not answer must not keep a list of jobs from being shown. */
const LOOK_MS = 8000;
/** An output is read again at its end, from wherever it lies. */
const ENDING_MS = 120_000;
/** What was asked over a network is not asked again before. */
const FRESH_MS = 5000;

/** Jobs by their records and their engines. Nothing is held open between two calls but what is followed. */
export class AllJobs implements Jobs {
  private readonly store: JobStore;
  private readonly watch: StoreWatch;
  private readonly looked = new Map<string, number>();
  private readonly followers = new Set<Follower>();

  constructor(private readonly room: JobsRoom) {
    this.store = new JobStore(room.state);
    this.watch = new StoreWatch(this.store.folder);
  }

  async list(): Promise<readonly JobRecord[]> {
    const records = await this.store.all();
    return Promise.all(records.map(record => this.now(record)));
  }

  async get(id: string): Promise<JobRecord | null> {
    const record = await this.store.read(id);
    return record && this.now(record);
  }

  plan(request: JobRequest, signal: Signal): Promise<readonly string[]> {
    return this.engine(request.place).plan(request, signal);
  }

  async start(
    request: JobRequest,
    secrets: Readonly<Record<string, string>>,
    signal: Signal,
  ): Promise<JobRecord> {
    const engine = this.engine(request.place);
    const record = newRecord(request, await thisStarter(), Date.now());
    const { id } = record;
    await this.store.create(record, request);
    const note = async (handle: NonNullable<JobRecord['handle']>): Promise<void> => {
      await this.store.update(id, now => ({ ...now, handle }));
    };
    try {
      await note(await engine.start(record, secrets, note, signal));
    } catch (error) {
      if (await this.isThere(engine, id)) return (await this.get(id)) ?? record;
      const message = reasonOf(error);
      const failed = { ...NO_SIGHT, state: 'failed', message } as const;
      await this.store.update(id, now => settled(now, failed, Date.now()));
      throw error;
    }
    return (await this.get(id)) ?? record;
  }

  async stop(id: string, signal: Signal): Promise<JobRecord> {
    const record = await this.known(id);
    if (isFinal(record)) return record;
    await this.store.update(id, now => (isFinal(now) ? null : { ...now, state: 'stopping', message: null }));
    const engine = this.engine(record.place);
    const isOver = async (): Promise<boolean> => {
      this.looked.delete(id);
      return isFinal(await this.known(id));
    };
    const current = async (): Promise<JobRecord> => (await this.store.read(id)) ?? record;
    const isStopped = await climb(
      async rung => engine.stop(await current(), rung, signal),
      isOver,
      this.room.pauses ?? STOP_PAUSES,
      signal,
    );
    await this.stopParts(id, signal);
    if (isStopped || signal.aborted) return this.known(id);
    const message = "Couldn't stop it. Check its processes.";
    return this.store.update(id, now => ({ ...now, message }));
  }

  async output(id: string, offset: number, signal: Signal): Promise<OutputPiece> {
    const record = await this.store.read(id);
    if (!record) throw noJob(id);
    return this.engine(record.place).read(record, offset, signal);
  }

  async samples(id: string, signal: Signal): Promise<readonly JobSample[]> {
    const record = await this.store.read(id);
    if (!record) throw noJob(id);
    return (await this.engine(record.place).samples?.(record, signal)) ?? [];
  }

  async bring(place: JobPlace, files: FilesToBring, signal: Signal): Promise<string> {
    const engine = this.engine(place);
    return engine.bring ? engine.bring(place, newJobId(Date.now()), files, signal) : files.folder;
  }

  async takeBack(place: JobPlace, folder: string, signal: Signal): Promise<void> {
    await this.engine(place).takeBack?.(place, folder, signal);
  }

  async fetch(id: string, into: string, signal: Signal): Promise<readonly string[]> {
    const record = await this.known(id);
    const names = (await this.engine(record.place).fetch?.(record, into, signal)) ?? [];
    if (isFinal(record)) await this.store.update(id, now => ({ ...now, fetchedMs: Date.now() }));
    return names;
  }

  async clean(id: string, force: boolean, signal: Signal): Promise<void> {
    const record = await this.known(id);
    const { place, state, fetchedMs } = record;
    if (!isFinal(record)) throw new JobError('busy', `${id} is ${state}. Stop it first.`);
    if (holdsResults(record) && fetchedMs === undefined && !force) {
      throw new JobError(
        'refused',
        `${id}: removing it deletes its results on ${aliasOf(place)}. Download them with headroom jobs fetch ${id}, or add --force.`,
      );
    }
    await this.engine(place).clean?.(record, signal);
    await this.store.remove(id);
  }

  follow(id: string, listener: (view: JobView) => void): () => void {
    const source = {
      record: () => this.known(id),
      read: (offset: number, signal: Signal) => this.output(id, offset, signal),
      parts: () => readParts(this.store.paths(id).parts),
    };
    const follower = new Follower(source, listener);
    this.followers.add(follower);
    return () => {
      this.followers.delete(follower);
      follower.dispose();
    };
  }

  onChange(listener: () => void): () => void {
    return this.watch.on(listener);
  }

  dispose(): void {
    this.watch.dispose();
    for (const follower of this.followers) follower.dispose();
    this.followers.clear();
  }

  /** What a job has spread over other machines ends with it. */
  private async stopParts(id: string, signal: Signal): Promise<void> {
    const parts = (await this.store.all()).filter(one => one.partOf === id && !isFinal(one));
    await Promise.all(parts.map(one => this.stop(one.id, signal)));
  }

  /** A start that failed on the way back may have started it all the same. */
  private async isThere(engine: JobEngine, id: string): Promise<boolean> {
    const record = await this.store.read(id);
    if (!record?.handle) return false;
    const seen = await engine.look(record, AbortSignal.timeout(LOOK_MS)).catch(() => null);
    return seen !== null && SURE.includes(seen.state);
  }

  private async known(id: string): Promise<JobRecord> {
    const record = await this.get(id);
    if (!record) throw noJob(id);
    return record;
  }

  private engine({ engine: id }: JobPlace): JobEngine {
    const found = this.room.engines.find(engine => engine.id === id);
    if (!found) throw new JobError('refused', `${id} cannot run jobs here.`);
    return found;
  }

  /** A record as its engine sees it now. Where it cannot be asked, the last that is known holds. */
  private async now(record: JobRecord): Promise<JobRecord> {
    const { id, place } = record;
    if (isFinal(record)) return record;
    const isFresh = Date.now() - (this.looked.get(id) ?? 0) < FRESH_MS;
    if (place.engine !== 'local' && isFresh) return record;
    this.looked.set(id, Date.now());
    const limit = AbortSignal.timeout(LOOK_MS);
    try {
      const seen = await this.engine(place).look(record, limit);
      if (seen.state === 'unknown') return { ...record, state: 'unknown', message: seen.message };
      if (settled(record, seen, Date.now()) === record) return record;
      return await this.take(record, seen);
    } catch (error) {
      return { ...record, state: 'unknown', message: reasonOf(error) };
    }
  }

  /**
   * Writes down what an engine says. Who sees a job's end first also says what its output says of it; of one on this machine
   * its keeper has done so.
   */
  private async take(record: JobRecord, seen: JobSighting): Promise<JobRecord> {
    const { id, place } = record;
    const before: JobRecord[] = [];
    const now = await this.store.update(id, current => {
      before.push(current);
      return settled(current, seen, Date.now());
    });
    const isFirst = !before.some(isFinal) && isFinal(now);
    if (!isFirst || place.engine === 'local') return now;
    const limit = AbortSignal.timeout(ENDING_MS);
    const read = (offset: number): Promise<OutputPiece> => this.engine(place).read(now, offset, limit);
    const ending = await endingOf(now, read, now.exit).catch(() => null);
    if (!ending) return now;
    const { message, peaks } = ending;
    const held = peaksOf(await this.samples(id, limit).catch(() => []));
    const told = await this.store.update(id, one => ({
      ...one,
      message: one.message ?? (one.state === 'failed' ? message : null),
      peaks: [...one.peaks, ...held, ...peaks],
    }));
    const file = told.measuredIn ?? null;
    for (const one of measurementsOf(told, ending, null)) await this.room.keepMeasurement?.(one, file);
    return told;
  }
}

const noJob = (id: string): JobError =>
  new JobError('gone', `${id}: no such job; list jobs with headroom jobs.`);

const aliasOf = (place: JobPlace): string | null => ('alias' in place ? place.alias : null);

/** It ran in a copy of its folder, whose results are nowhere else. One that never began has none. */
const holdsResults = ({ place, startedMs }: JobRecord): boolean =>
  startedMs !== null && aliasOf(place) !== null && !('folder' in place && place.folder !== null);

/** What an engine says only of a job that is there. */
const SURE: readonly JobState[] = ['queued', 'running', 'succeeded'];

const NO_SIGHT = { startedMs: null, endedMs: null, exit: null, pids: [] };

const newRecord = (request: JobRequest, starter: Starter, nowMs: number): JobRecord => ({
  ...request,
  schema: 'headroom-job/1',
  id: newJobId(nowMs),
  createdMs: nowMs,
  startedMs: null,
  endedMs: null,
  state: 'starting',
  message: null,
  seenMs: nowMs,
  handle: null,
  exit: null,
  peaks: [],
  starter,
});
