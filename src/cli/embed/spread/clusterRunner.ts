import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ClusterPlace, JobLimits, JobRecord, JobRequest } from '../../../jobs/job';
import { isFinal } from '../../../jobs/settle';
import { ArrayOutput } from '../../../jobs/shards/arrayOutput';
import type { Shard } from '../../../jobs/shards/schedule';
import type { ShardSeen } from '../../../jobs/shards/shardRun';
import type { Slot } from '../../../jobs/shards/slots';
import { SHARD_WORD } from '../../../jobs/slurm/script';
import { checkWhole, isWhole } from './state';
import { partName, partRequest } from './partRunner';
import { NEVER } from '../../../core/signal';
import type { PartRunner } from './partRunner';
import { emptyFolder, ownCall, pythonCall } from './partCall';
import type { PartCall } from './partCall';
import { copyForPython, needsPython, pythonFolderOn, removeCopied } from './remotePython';
import type { CopyRoom } from './remotePython';

interface ClusterRoom extends CopyRoom {
  readonly place: ClusterPlace;
  /** GPUs per part. */
  readonly gpus: number;
  readonly limits: Partial<JobLimits>;
}

type SeenJob = Pick<JobRecord, 'state' | 'message' | 'machines'>;

/** How long a job's state is cached, because every part of an array asks for it. */
const SEEN_MS = 900;

/**
 * A scheduler's machines: it chooses where a part runs. Slurm runs all parts as one array. Behind a login node they
 * are copied and fetched; otherwise the machines share this one's folders, and parts are written directly to their
 * destination.
 */
export class ClusterRunner implements PartRunner {
  readonly slots: readonly Slot[];
  private readonly isShared: boolean;
  private call: PartCall;
  private readonly outputs = new Map<string, ArrayOutput>();
  private readonly fetched = new Map<string, Promise<unknown>>();
  private readonly seen = new Map<string, { readonly atMs: number; readonly seen: Promise<SeenJob> }>();

  constructor(private readonly room: ClusterRoom) {
    const { place } = room;
    const name = place.engine === 'ray' ? 'Ray' : 'Slurm';
    this.isShared = place.engine === 'ray' || place.alias === null;
    this.call = ownCall(room, place, this.isShared);
    this.slots = Array.from({ length: room.of() }, (_, at) => ({
      name: `${name} · ${at + 1}`,
      host: name,
      place,
      gpu: null,
    }));
  }

  async prepare(): Promise<void> {
    const { room, isShared } = this;
    const { place } = room;
    await mkdir(emptyFolder(room), { recursive: true });
    // Machines that share our folders also have our program, unless the user says otherwise.
    const login = place.engine === 'slurm' ? place.alias : null;
    if (!(await needsPython(room, login === null ? [] : [login]))) return;
    const machine = login ?? 'here';
    await copyForPython(room, [{ name: machine, place: isShared ? null : place }]);
    this.call = pythonCall(room, machine, place, isShared);
  }

  async begin(shards: readonly Shard[]): Promise<readonly Shard[]> {
    const isNew = shards.every(({ state, failures }) => state === 'waiting' && failures.length === 0);
    if (this.room.place.engine !== 'slurm' || !isNew || shards.length < 2) return shards;
    const { id } = await this.room.jobs.start(this.request(shards), {}, NEVER);
    return shards.map(shard => ({
      ...shard,
      state: 'running',
      job: `${id}/${shard.index + 1}`,
      slot: this.slots[shard.index]?.name ?? null,
    }));
  }

  async start(shard: Shard): Promise<string> {
    // Its job is over, and may have been interrupted on another machine.
    const lock = join(this.room.parts, partName(shard), 'lock.json');
    if (this.isShared && shard.failures.length > 0) await rm(lock, { force: true });
    return (await this.room.jobs.start(this.request([shard]), {}, NEVER)).id;
  }

  async look(job: string): Promise<ShardSeen> {
    const [id = '', part] = job.split('/');
    const { state, message, machines } = await this.lookOnce(id);
    const machine = machines?.[part ?? '0'] ?? null;
    if (part === undefined) return { state, message, machine };
    const folder = join(this.room.parts, partName({ index: Number(part) - 1 }));
    const isOver = isFinal({ state });
    if (isOver && !this.isShared) await this.fetch(id);
    if ((isOver || this.isShared) && (await isWhole(this.room.embedding, folder))) {
      return { state: 'succeeded', message: null };
    }
    if (!isOver) return { state, message, machine };
    return { state: state === 'stopped' ? 'stopped' : 'failed', message, machine };
  }

  async read(job: string, offset: number): Promise<Uint8Array> {
    const [id = '', part] = job.split('/');
    const readOn = async (from: number) => (await this.room.jobs.output(id, from, NEVER)).bytes;
    if (part === undefined) return readOn(offset);
    const output = this.outputs.get(id) ?? new ArrayOutput(readOn);
    this.outputs.set(id, output);
    return output.read(Number(part), offset);
  }

  async stop(job: string): Promise<void> {
    await this.room.jobs.stop(job.split('/')[0] ?? '', NEVER);
  }

  async collect(shard: Shard): Promise<void> {
    const { parts, embedding } = this.room;
    if (!this.isShared) await this.fetch((shard.job ?? '').split('/')[0] ?? '');
    const folder = join(parts, partName(shard));
    const why = this.isShared
      ? `no complete part in ${folder}; the machines of the cluster need access to this folder`
      : 'its download is incomplete';
    await checkWhole(embedding, folder, why);
  }

  async leave(): Promise<void> {
    const { room, isShared } = this;
    if (isShared || room.place.engine !== 'slurm' || room.place.alias === null) return;
    const name = room.place.alias;
    await removeCopied(room, { name, place: room.place }, pythonFolderOn(room, name));
  }

  private fetch(id: string): Promise<unknown> {
    const fetching = this.fetched.get(id) ?? this.room.jobs.fetch(id, this.room.parts, NEVER);
    this.fetched.set(id, fetching);
    return fetching;
  }

  private lookOnce(id: string): Promise<SeenJob> {
    const known = this.seen.get(id);
    if (known && performance.now() - known.atMs < SEEN_MS) return known.seen;
    const seen = this.room.jobs.get(id).then((record): SeenJob => record ?? { state: 'lost', message: null });
    this.seen.set(id, { atMs: performance.now(), seen });
    return seen;
  }

  /** The job for one part, or for all of them as an array. */
  private request(shards: readonly Shard[]): JobRequest {
    const { call } = this;
    const { input, gpus, limits, of } = this.room;
    const [first] = shards;
    const isArray = shards.length > 1;
    const number = isArray ? SHARD_WORD : String((first?.index ?? 0) + 1);
    const which = isArray ? `in ${shards.length} parts` : `${number}/${of()}`;
    return partRequest({
      name: `embed ${basename(input)} ${which}`,
      argv: call.argv(number),
      folder: call.folder,
      place: call.place,
      gpus,
      limits: { ...limits, ...limitsOf(shards), requeue: call.place.engine === 'slurm' },
      writes: shards.map(shard => call.written(partName(shard))),
    });
  }
}

/** A single part avoids machines where it failed; all parts are an array. */
function limitsOf(shards: readonly Shard[]): Partial<JobLimits> {
  const [first] = shards;
  if (shards.length > 1) return { array: shards.length };
  return first?.avoid === undefined ? { array: null } : { array: null, avoid: first.avoid };
}
