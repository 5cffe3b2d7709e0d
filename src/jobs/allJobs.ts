import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobError } from './engine';
import type { FilesToBring, JobEngine, JobSighting, OutputPiece, StopRung } from './engine';
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
import { thisStarter, withLock } from './lock';
import { ownFolder } from './files';
import { dropSpareEnd } from './spareEnd';
import { climb, STOP_PAUSES, sweep } from './stopLadder';
import { hidesWords, sealed } from './secrets';
import type { KeptSecrets, SealedRequest } from './secrets';
import type { StopPauses } from './stopLadder';
import { JobStore } from './store';
import { StoreWatch } from './storeWatch';
import { peaksOf } from './remote/watched';
import type { Signal } from '../core/signal';
import { reasonOf } from '../core/text/errors';
import { phrase } from '../core/text/say';

interface JobsRoom {
  /** The user's state folder (`stateFolder()`). */
  readonly state: string;
  readonly engines: readonly JobEngine[];
  readonly pauses?: StopPauses;
  /** Stores measurements; absent: they are not stored. */
  readonly keepMeasurement?: KeepMeasurement;
}

/** On other machines a command is written to scripts, and everyone there can list it. */
const SECRET_WORDS =
  'The command has a secret, which others could read there. Pass it as a variable with --secret NAME.';

/** A host that does not answer must not block a list of jobs. */
const LOOK_MS = 8000;
/** Writing a record takes milliseconds unless the disk has a problem. */
const MARK_MS = 500;
/** A keeper reads the output again and checks the GPUs before it writes the end. */
const END_MS = 5000;
const UNWRITTEN = phrase`Stopped, but its state folder isn't writable: free some space, so that its end is kept.`;
/** The whole output is read again when a job ends, from wherever it is. */
const ENDING_MS = 120_000;
/** Minimum time between queries over the network. */
const FRESH_MS = 5000;

/** Jobs by their records and their engines. Between calls, only followed jobs hold resources. */
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

  odd(): Promise<readonly string[]> {
    return this.store.odd();
  }

  async get(id: string): Promise<JobRecord | null> {
    const record = await this.store.read(id);
    return record && this.now(record);
  }

  plan(request: JobRequest, signal: Signal): Promise<readonly string[]> {
    return this.engine(request.place).plan(sealed(request).request, signal);
  }

  async start(
    given: JobRequest,
    secrets: Readonly<Record<string, string>>,
    signal: Signal,
  ): Promise<JobRecord> {
    const { request, kept } = sealed(given);
    const engine = this.engine(request.place);
    if (kept && hidesWords(kept) && engine.id !== 'local') throw new JobError('refused', SECRET_WORDS);
    const record = newRecord(request, await thisStarter(), Date.now());
    const { id } = record;
    if (request.resumes === undefined) await this.store.create(record, request, kept);
    else await this.createOnce(record, { request, kept }, request.resumes);
    const note = async (handle: NonNullable<JobRecord['handle']>): Promise<void> => {
      await this.store.update(id, now => ({ ...now, handle }));
    };
    try {
      const all = { ...secrets, ...kept?.environment };
      await note(await engine.start(record, all, note, signal));
    } catch (error) {
      if (await this.hasStarted(engine, id)) return (await this.get(id)) ?? record;
      const message = reasonOf(error);
      const failed = { ...NO_SIGHT, state: 'failed', message } as const;
      await this.store.update(id, now => settled(now, failed, Date.now()));
      if (error instanceof JobError) error.job = id;
      throw error;
    }
    return (await this.get(id)) ?? record;
  }

  /** Two jobs that resume the same one would overwrite each other's outputs, so only one runs at a time. */
  private async createOnce(
    record: JobRecord,
    { request, kept }: SealedRequest,
    first: string,
  ): Promise<void> {
    await ownFolder(this.store.folder);
    await withLock(join(this.store.folder, 'resume.lock'), async () => {
      const all = await this.list();
      const running = all.find(one => (one.resumes === first || one.id === first) && !isFinal(one));
      if (running) {
        const why = `${running.id} already resumes it and is ${running.state}.`;
        throw new JobError('busy', `${why} Stop it first, or wait until it ends.`);
      }
      await this.store.create(record, request, kept);
    });
  }

  secrets(id: string): Promise<KeptSecrets | null> {
    return this.store.secrets(id);
  }

  async stop(id: string, signal: Signal): Promise<JobRecord> {
    const record = await this.known(id);
    if (isFinal(record)) return record;
    // A signal must not wait for a full or unresponsive disk: the record is marked first if possible.
    await Promise.race([this.mark(id), pause(MARK_MS)]);
    const engine = this.engine(record.place);
    const current = async (): Promise<JobRecord> => (await this.store.read(id)) ?? record;
    const send = async (rung: StopRung) => engine.stop(await current(), rung, signal);
    const pauses = this.room.pauses ?? STOP_PAUSES;
    const isStopped = await climb(send, this.overFor(record), pauses, signal);
    if (isStopped && !signal.aborted) await sweep(engine, await current(), send, pauses);
    await this.stopParts(id, signal);
    const now = await this.known(id);
    if (isFinal(now) || signal.aborted) return now;
    if (isStopped) return { ...now, state: 'stopped', endedMs: Date.now(), message: UNWRITTEN };
    const failed = { ...now, message: "Couldn't stop it. Check its processes." };
    return this.store.update(id, one => ({ ...one, message: failed.message })).catch(() => failed);
  }

  /** Marks the record as stopping, if it can be written. */
  private async mark(id: string): Promise<void> {
    const stopping = (now: JobRecord) =>
      isFinal(now) ? null : { ...now, state: 'stopping' as const, message: null };
    await this.store.update(id, stopping).catch(() => undefined);
  }

  /**
   * Whether a job is over: its end is known, or its processes have been gone for a while and the end could not be
   * written.
   */
  private overFor({ id, place }: JobRecord): () => Promise<boolean> {
    let goneMs: number | null = null;
    return async () => {
      this.looked.delete(id);
      const now = await this.known(id);
      if (isFinal(now)) return true;
      const left = await this.engine(place).leftOf?.(now);
      goneMs = left === 0 ? (goneMs ?? Date.now()) : null;
      return goneMs !== null && Date.now() - goneMs > END_MS;
    };
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

  /** The parts of a spread job end with it. */
  private async stopParts(id: string, signal: Signal): Promise<void> {
    const parts = (await this.store.all()).filter(one => one.partOf === id && !isFinal(one));
    await Promise.all(parts.map(one => this.stop(one.id, signal)));
  }

  /** A start whose answer was lost may still have started the job. */
  private async hasStarted(engine: JobEngine, id: string): Promise<boolean> {
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

  /** A record with its engine's current view; the last known record if the engine cannot be asked. */
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
      const next = settled(record, seen, Date.now());
      // A known state is returned even if it cannot be written to disk.
      return next === record ? record : await this.take(record, seen).catch(() => next);
    } catch (error) {
      return { ...record, state: 'unknown', message: reasonOf(error) };
    }
  }

  /**
   * Stores what an engine reports. The process that sees a job's end first also evaluates its output; for a job on this
   * machine, the keeper does that.
   */
  private async take(record: JobRecord, seen: JobSighting): Promise<JobRecord> {
    const { id, place } = record;
    const before: JobRecord[] = [];
    const now = await this.store.update(id, current => {
      before.push(current);
      return settled(current, seen, Date.now());
    });
    if (isFinal(now) && place.engine === 'local') await dropSpareEnd(id);
    const isFirst = !before.some(isFinal) && isFinal(now);
    if (!isFirst || place.engine === 'local') return now;
    const limit = AbortSignal.timeout(ENDING_MS);
    const read = (offset: number): Promise<OutputPiece> => this.engine(place).read(now, offset, limit);
    const ending = await endingOf(now, read, now.exit).catch(() => null);
    if (!ending) return now;
    const { message, peaks } = ending;
    const held = peaksOf(await this.samples(id, limit).catch(() => []));
    const updated = await this.store.update(id, one => ({
      ...one,
      message: one.message ?? (one.state === 'failed' ? message : null),
      peaks: [...one.peaks, ...held, ...peaks],
    }));
    const file = updated.measuredIn ?? null;
    for (const one of measurementsOf(updated, ending, null)) await this.room.keepMeasurement?.(one, file);
    return updated;
  }
}

const noJob = (id: string): JobError =>
  new JobError('gone', `${id}: no such job; list jobs with headroom jobs.`);

const aliasOf = (place: JobPlace): string | null => ('alias' in place ? place.alias : null);

/** It ran in a copy of its folder, so its results are nowhere else. A job that never started has none. */
const holdsResults = ({ place, startedMs }: JobRecord): boolean =>
  startedMs !== null && aliasOf(place) !== null && !('folder' in place && place.folder !== null);

/** States that an engine reports only for an existing job. */
const SURE: readonly JobState[] = ['queued', 'running', 'succeeded'];

const NO_SIGHT = { startedMs: null, endedMs: null, exit: null };

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
