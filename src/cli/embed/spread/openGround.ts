import { join } from 'node:path';
import { placeOf } from '../../jobs/place';
import { BadInput } from '../../output';
import { ClusterGround } from './clusterGround';
import type { ClusterPlace } from '../../../jobs/job';
import type { Ground } from './ground';
import { spreadHosts } from './hosts';
import { HostsGround } from './hostsGround';
import type { BringRoom } from './pythonThere';
import type { SpreadOptions } from './spread';
import { slotsOf } from '../../../jobs/shards/slots';

export interface GroundRoom extends Omit<BringRoom, 'command'> {
  /** Makes the parts: so many where nothing else is said; null: it has to be said. */
  readonly begun: (usual: number | null) => Promise<void>;
}

/** Where the parts run: SSH hosts, or a scheduler. */
export async function openGround(options: SpreadOptions, room: GroundRoom): Promise<Ground> {
  const place = placeOf({
    ...(options.slurm === undefined ? {} : { slurm: options.slurm }),
    ...(options.partition === undefined ? {} : { partition: options.partition }),
    ...(options.ray === undefined ? {} : { ray: options.ray }),
  });
  if (place.engine === 'slurm' || place.engine === 'ray') {
    if (options.hosts !== undefined) throw new BadInput('Choose one of --hosts, --slurm and --ray.');
    await room.begun(null);
    return clusterGround(options, room, place);
  }
  const hosts = await spreadHosts(options);
  await room.begun(slotsOf(hosts).length);
  return new HostsGround({ ...room, command: options.hostCommand ?? ['headroom'] }, hosts);
}

function clusterGround(options: SpreadOptions, room: GroundRoom, place: ClusterPlace): Ground {
  const isShared = place.engine === 'ray' || place.alias === null;
  // Where all machines see the same folders they see this program, too.
  const here = [process.execPath, join(__dirname, 'cli.js')];
  const { partGpus, partCpus, partMemory, time, device } = options;
  return new ClusterGround({
    ...room,
    place,
    command: options.hostCommand ?? (isShared ? here : ['headroom']),
    gpus: partGpus ?? (device === 'cpu' ? 0 : 1),
    limits: { timeMinutes: time ?? null, cpus: partCpus ?? null, memoryMiB: partMemory ?? null },
  });
}
