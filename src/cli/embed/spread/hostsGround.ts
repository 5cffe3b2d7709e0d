import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import type { JobPlace } from '../../../jobs/job';
import type { Jobs } from '../../../jobs/jobs';
import type { Shard } from '../../../jobs/shards/schedule';
import { slotsOf } from '../../../jobs/shards/slots';
import type { Slot, SlotHost } from '../../../jobs/shards/slots';
import type { EmbedOptions } from '../options';
import { checkWhole, isThere } from './files';
import { NEVER, partName, partRequest } from './ground';
import type { ShardSeen } from '../../../jobs/shards/shardRun';
import type { Ground } from './ground';
import { stagedForPython } from './pythonParts';
import { partWords } from './words';

export interface HostsRoom {
  readonly embedding: Embedding;
  readonly jobs: Jobs;
  readonly input: string;
  /** Where parts are brought to. */
  readonly parts: string;
  readonly options: EmbedOptions;
  readonly command: readonly string[];
  readonly of: () => number;
  /** Where the input lies on hosts, as far as it was brought; kept by whoever keeps the run. */
  readonly folders: () => Readonly<Record<string, string>>;
  readonly brought: (host: string, folder: string) => Promise<void>;
  readonly hasProgram: (host: string, program: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

const PYTHON = 'python3';

/** SSH hosts: the texts and the model are brought to each, a part runs on a GPU by UUID, and is fetched. */
export class HostsGround implements Ground {
  readonly slots: readonly Slot[];
  private readonly folder: string;
  /** What was brought to hosts where Python does it alone; null: our own command does. */
  private python: string | null = null;

  constructor(
    private readonly room: HostsRoom,
    private readonly hosts: readonly SlotHost[],
  ) {
    this.slots = slotsOf(hosts);
    this.folder = dirname(room.input);
  }

  async prepare(): Promise<void> {
    if (await this.needsPython()) return this.prepareForPython();
    for (const { name, place } of this.hosts) {
      if (this.room.folders()[name] !== undefined) continue;
      const files = [basename(this.room.input), ...(await this.modelFiles())];
      const folder = await this.room.jobs.bring(place, { folder: this.folder, files }, NEVER);
      await this.room.brought(name, folder);
    }
  }

  begin(shards: readonly Shard[]): Promise<readonly Shard[]> {
    return Promise.resolve(shards);
  }

  /** Vectors of two engines are not put together: one host without our command, and all take Python. */
  private async needsPython(): Promise<boolean> {
    const [program = ''] = this.room.command;
    const found = await Promise.all(
      this.hosts.map(async ({ name }) => ((await this.room.hasProgram(name, program)) ? [] : [name])),
    );
    const lacking = found.flat();
    if (lacking.length === 0) return false;
    const { python = PYTHON } = this.room.options;
    this.room.say(
      `There is no ${program} on ${lacking.join(', ')}: all parts are calculated with sentence-transformers by ${python} there, which the scripts for it are brought to.`,
    );
    return true;
  }

  private async prepareForPython(): Promise<void> {
    const { embedding, input, options, jobs } = this.room;
    const folder = join(this.room.parts, 'python');
    this.python = folder;
    const keyOf = (name: string): string => `${name}, Python`;
    if (this.hosts.every(({ name }) => this.room.folders()[keyOf(name)] !== undefined)) return;
    const files = await stagedForPython(embedding, input, options, this.room.of(), folder);
    for (const { name, place } of this.hosts) {
      if (this.room.folders()[keyOf(name)] !== undefined) continue;
      await this.room.brought(keyOf(name), await jobs.bring(place, { folder, files }, NEVER));
    }
  }

  async start(shard: Shard, slot: Slot): Promise<string> {
    const { jobs, input, options, command } = this.room;
    const part = partName(shard);
    const words =
      this.python === null
        ? {}
        : {
            argv: [options.python ?? PYTHON, 'python/start.py', `${part}.json`],
            folder: this.python,
            place: {
              ...slot.place,
              folder: this.room.folders()[`${slot.host}, Python`] ?? null,
            } as JobPlace,
            writes: [join(this.python, part)],
          };
    const number = `${shard.index + 1}/${this.room.of()}`;
    const request = partRequest({
      name: `embed ${basename(input)} ${number}`,
      argv: [
        ...[...command, 'embed', basename(input), ...partWords(options, this.modelThere())],
        ...['--shard', number, '--out', part, '--resume', '--progress', 'json'],
      ],
      folder: this.folder,
      place: { ...slot.place, folder: this.room.folders()[slot.host] ?? null } as JobPlace,
      gpus: slot.gpu === null ? 0 : 1,
      uuids: slot.gpu === null ? [] : [slot.gpu],
      writes: [join(this.folder, part)],
      ...words,
    });
    return (await jobs.start(request, {}, NEVER)).id;
  }

  async look(job: string): Promise<ShardSeen> {
    return (await this.room.jobs.get(job)) ?? { state: 'lost', message: null };
  }

  async read(job: string, offset: number): Promise<Uint8Array> {
    return (await this.room.jobs.output(job, offset, NEVER)).bytes;
  }

  async stop(job: string): Promise<void> {
    await this.room.jobs.stop(job, NEVER);
  }

  async collect(shard: Shard): Promise<void> {
    const { jobs, parts, embedding } = this.room;
    const folder = join(parts, partName(shard));
    await rm(folder, { recursive: true, force: true });
    await jobs.fetch(shard.job ?? '', parts, NEVER);
    await checkWhole(embedding, folder, 'what was fetched of it is not whole');
  }

  /** A model beside the input goes along; any other is a path, or a name, of the hosts. */
  private modelThere(): string | undefined {
    const { model } = this.room.options;
    if (model === undefined) return undefined;
    const inside = relative(this.folder, resolve(model));
    return inside.startsWith('..') || inside === '' ? model : inside.split(sep).join('/');
  }

  private async modelFiles(): Promise<readonly string[]> {
    const { model } = this.room.options;
    if (model === undefined || relative(this.folder, resolve(model)).startsWith('..')) return [];
    if (!(await isThere(model))) return [];
    const entries = await readdir(model, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile());
    return files.map(entry => relative(this.folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  }
}
