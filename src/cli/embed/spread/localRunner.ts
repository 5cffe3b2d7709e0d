import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { counted } from '../../../core/units';
import { NEVER } from '../../../core/signal';
import type { GpuDevice } from '../../../gpu/device';
import { openGpus } from '../../../gpu/open';
import type { Shard } from '../../../jobs/shards/schedule';
import { slotsOf } from '../../../jobs/shards/slots';
import type { Slot } from '../../../jobs/shards/slots';
import { BadInput } from '../../output';
import { JobPerPart } from './jobPerPart';
import { partName, partRequest } from './partRunner';
import type { CopyRoom } from './remotePython';
import { checkWhole } from './state';
import { partWords } from './words';

/** The GPUs of this machine that `--gpus all` or `--gpus 0,1` selects, by UUID. */
export async function localGpus(which: string): Promise<readonly string[]> {
  const { devices } = await openGpus({}).detect();
  if (devices.length === 0) {
    throw new BadInput('--gpus: no GPU found here. Leave it out: one process uses all cores.');
  }
  return chosenGpus(devices, which);
}

/** With `all`, MIG instances count as separate GPUs. */
function chosenGpus(devices: readonly GpuDevice[], which: string): readonly string[] {
  if (which === 'all') return devices.flatMap(uuidsOf);
  const numbers = [...new Set(which.split(',').map(word => word.trim()))];
  return numbers.flatMap(number => {
    const device = devices.find(({ index }) => String(index) === number);
    if (!device) {
      const known = devices.map(({ index }) => index).join(', ');
      throw new BadInput(`--gpus ${which}: no GPU ${number} here. There is ${known}; or use --gpus all.`);
    }
    return uuidsOf(device);
  });
}

function uuidsOf({ index, uuid, mig }: GpuDevice): readonly string[] {
  const slices = mig?.enabled ? mig.instances.flatMap(one => one.uuid ?? []) : [];
  if (slices.length > 0) return slices;
  if (uuid === null) throw new BadInput(`--gpus: GPU ${index} has no UUID, so no process can be given it.`);
  return [uuid];
}

type LocalRoom = Omit<CopyRoom, 'command'>;

/** This machine: one job per GPU, whose process sees only that GPU (CUDA_VISIBLE_DEVICES). */
export class LocalRunner extends JobPerPart<LocalRoom> {
  readonly slots: readonly Slot[];

  constructor(room: LocalRoom, gpus: readonly string[]) {
    super(room);
    this.slots = slotsOf([{ place: { engine: 'local' }, name: 'this machine', gpus, workers: 0 }]);
  }

  prepare(): Promise<void> {
    const { embedding, options, say } = this.room;
    const { device, why } = embedding.chooseDevice(options.device);
    if (device === 'cpu' && options.worker !== 'python') {
      say(
        `${counted(this.slots.length, 'GPU')}, but Headroom's own engine computes on ${why}. To use the GPUs, add --worker python.`,
      );
    }
    return Promise.resolve();
  }

  async start(shard: Shard, slot: Slot): Promise<string> {
    const { jobs, input, options, parts, of } = this.room;
    const number = `${shard.index + 1}/${of()}`;
    const absolute = (path: string): string => (existsSync(path) ? resolve(path) : path);
    const { python, model } = options;
    const own = python === undefined ? options : { ...options, python: absolute(python) };
    const words = partWords(own, model === undefined ? model : absolute(model));
    const request = partRequest({
      name: `embed ${basename(input)} ${number}`,
      argv: [
        ...[process.execPath, join(__dirname, 'cli.js'), 'embed', input, ...words],
        ...['--shard', number, '--out', join(parts, partName(shard)), '--resume', '--progress', 'json'],
      ],
      folder: parts,
      place: slot.place,
      gpus: 1,
      uuids: slot.gpu === null ? [] : [slot.gpu],
      writes: [join(parts, partName(shard))],
    });
    return (await jobs.start(request, {}, NEVER)).id;
  }

  collect(shard: Shard): Promise<void> {
    return checkWhole(this.room.embedding, join(this.room.parts, partName(shard)), 'it is incomplete');
  }

  leave(): Promise<void> {
    return Promise.resolve();
  }
}
