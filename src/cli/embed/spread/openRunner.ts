import { join } from 'node:path';
import { placeOf } from '../../jobs/place';
import { BadInput } from '../../output';
import { ClusterRunner } from './clusterRunner';
import type { ClusterPlace } from '../../../jobs/job';
import type { PartRunner } from './partRunner';
import { spreadHosts } from './hosts';
import { HostsRunner } from './hostsRunner';
import { localGpus, LocalRunner } from './localRunner';
import type { CopyRoom } from './remotePython';
import type { PlaceChoice } from '../../jobs/place';
import type { EmbedOptions } from '../options';
import type { SpreadHosts } from './hosts';
import { slotsOf } from '../../../jobs/shards/slots';

export interface SpreadOptions extends EmbedOptions, SpreadHosts, Omit<PlaceChoice, 'host'> {
  readonly parts?: number;
  readonly hostCommand?: readonly string[];
  /** Parts run with the host's Python, even if our command is installed there. */
  readonly onlyPython?: boolean;
  /** GPUs that each part requests from a scheduler. */
  readonly partGpus?: number;
  readonly partCpus?: number;
  readonly partMemory?: number;
  readonly time?: number;
}

interface RunnerRoom extends Omit<CopyRoom, 'command'> {
  /** Creates the parts, with a default number; null: the user must give the number. */
  readonly begun: (usual: number | null) => Promise<void>;
}

/** Where the parts run: GPUs of this machine, SSH hosts, or a scheduler. */
export async function openRunner(options: SpreadOptions, room: RunnerRoom): Promise<PartRunner> {
  if (options.gpus !== undefined) return localRunner(options.gpus, options, room);
  const place = placeOf({
    ...(options.slurm === undefined ? {} : { slurm: options.slurm }),
    ...(options.partition === undefined ? {} : { partition: options.partition }),
    ...(options.ray === undefined ? {} : { ray: options.ray }),
  });
  if (place.engine === 'slurm' || place.engine === 'ray') {
    if (options.hosts !== undefined) throw new BadInput('Choose one of --hosts, --slurm and --ray.');
    await room.begun(null);
    return clusterRunner(options, room, place);
  }
  const hosts = await spreadHosts(options);
  await room.begun(slotsOf(hosts).length);
  return new HostsRunner({ ...room, command: options.hostCommand ?? ['headroom'] }, hosts);
}

async function localRunner(which: string, options: SpreadOptions, room: RunnerRoom): Promise<PartRunner> {
  if (options.hosts ?? options.slurm ?? options.ray) {
    throw new BadInput('--gpus splits over this machine: leave out --hosts, --slurm and --ray.');
  }
  if (options.shard.of > 1) throw new BadInput('--gpus makes the parts itself: leave out --shard.');
  if (options.device === 'cpu') throw new BadInput('Choose one of --gpus and --device cpu.');
  const gpus = await localGpus(which);
  await room.begun(gpus.length);
  return new LocalRunner(room, gpus);
}

function clusterRunner(options: SpreadOptions, room: RunnerRoom, place: ClusterPlace): PartRunner {
  const isShared = place.engine === 'ray' || place.alias === null;
  // Machines that share our folders also see this program.
  const here = [process.execPath, join(__dirname, 'cli.js')];
  const { partGpus, partCpus, partMemory, time, device } = options;
  return new ClusterRunner({
    ...room,
    place,
    command: options.hostCommand ?? (isShared ? here : ['headroom']),
    gpus: partGpus ?? (device === 'cpu' ? 0 : 1),
    limits: { timeMinutes: time ?? null, cpus: partCpus ?? null, memoryMiB: partMemory ?? null },
  });
}
