import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { JobPlace } from '../../../jobs/job';
import type { Shard } from '../../../jobs/shards/schedule';
import { slotsOf } from '../../../jobs/shards/slots';
import type { Slot, SlotHost } from '../../../jobs/shards/slots';
import { checkWhole, pathExists } from './state';
import { partName, partRequest } from './partRunner';
import { NEVER } from '../../../core/signal';
import { JobPerPart } from './jobPerPart';
import {
  copyTo,
  copyForPython,
  needsPython,
  pythonFolder,
  pythonFolderOn,
  pythonOf,
  removeCopied,
} from './remotePython';
import type { CopyRoom } from './remotePython';
import { partWords } from './words';

/**
 * SSH hosts: the texts and the model are copied to each, a part runs on a GPU by UUID, and its result is fetched.
 */
export class HostsRunner extends JobPerPart<CopyRoom> {
  readonly slots: readonly Slot[];
  private readonly folder: string;
  /** Parts run with Python alone; otherwise with our own command. */
  private isPython = false;

  constructor(
    room: CopyRoom,
    private readonly hosts: readonly SlotHost[],
  ) {
    super(room);
    this.slots = slotsOf(hosts);
    this.folder = dirname(room.input);
  }

  async prepare(): Promise<void> {
    const { room, hosts, folder } = this;
    this.isPython = await needsPython(
      room,
      hosts.map(({ name }) => name),
    );
    if (this.isPython) return copyForPython(room, hosts);
    for (const host of hosts) {
      if (room.folders()[host.name] !== undefined) continue;
      const files = [basename(room.input), ...(await this.modelFiles())];
      await room.keepFolder(host.name, await copyTo(room, host, folder, files));
    }
  }

  async start(shard: Shard, slot: Slot): Promise<string> {
    const { room, isPython, folder } = this;
    const part = partName(shard);
    const number = `${shard.index + 1}/${room.of()}`;
    const remoteFolder = isPython ? pythonFolderOn(room, slot.host) : room.folders()[slot.host];
    const from = isPython ? pythonFolder(room) : folder;
    const request = partRequest({
      name: `embed ${basename(room.input)} ${number}`,
      argv: isPython ? [pythonOf(room.options), 'python/start.py', `${part}.json`] : this.words(number, part),
      folder: from,
      place: { ...slot.place, folder: remoteFolder ?? null } as JobPlace,
      gpus: slot.gpu === null ? 0 : 1,
      uuids: slot.gpu === null ? [] : [slot.gpu],
      writes: [join(from, part)],
    });
    return (await room.jobs.start(request, {}, NEVER)).id;
  }

  /** Our own command for a part. */
  private words(number: string, part: string): readonly string[] {
    const { input, options, command } = this.room;
    return [
      ...[...command, 'embed', basename(input), ...partWords(options, this.remoteModel())],
      ...['--shard', number, '--out', part, '--resume', '--progress', 'json'],
    ];
  }

  async collect(shard: Shard): Promise<void> {
    const { jobs, parts, embedding } = this.room;
    const folder = join(parts, partName(shard));
    await rm(folder, { recursive: true, force: true });
    await jobs.fetch(shard.job ?? '', parts, NEVER);
    await checkWhole(embedding, folder, 'its download is incomplete');
  }

  async leave(): Promise<void> {
    const { room } = this;
    for (const host of this.hosts) {
      await removeCopied(room, host, room.folders()[host.name]);
      await removeCopied(room, host, pythonFolderOn(room, host.name));
    }
  }

  /** A model next to the input is copied too; any other is a path, or a name, on the hosts. */
  private remoteModel(): string | undefined {
    const { model } = this.room.options;
    if (model === undefined) return undefined;
    const inside = relative(this.folder, resolve(model));
    return inside.startsWith('..') || inside === '' ? model : inside.split(sep).join('/');
  }

  private async modelFiles(): Promise<readonly string[]> {
    const { model } = this.room.options;
    if (model === undefined || relative(this.folder, resolve(model)).startsWith('..')) return [];
    if (!(await pathExists(model))) return [];
    const entries = await readdir(model, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile());
    return files.map(entry => relative(this.folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  }
}
