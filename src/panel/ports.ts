import type { GpuSource } from '../core/hardware/match';
import { setting } from '../host/settings';
import type { JobPlace } from '../jobs/job';
import { freeGpus, sshHosts } from './freeGpus';
import type { MachineGpus } from './machineGpus';
import type { Pages } from './page/chunk';
import type { PageServices } from './pageServices';
import type { ClusterPart, OtherPlace } from '../core/compare/machines';
import type { Capacity, HostReading } from '../gpu/fleet';
import type { OpenFleet } from '../gpu/openFleet';

/** Partitions of Slurm, and each Ray cluster as a whole, as last read; empty in Restricted Mode. */
function clusterParts(fleet: OpenFleet | null): readonly ClusterPart[] {
  return (fleet?.watches() ?? []).flatMap(({ host: { id, kind, name }, reading }): ClusterPart[] => {
    if (kind !== 'slurm' && kind !== 'ray') return [];
    const whole = { host: id, engine: kind, partition: null, name };
    const { capacities } = reading;
    if (capacities.length === 0) return [{ ...whole, gpus: null, free: null, note: troubleOf(reading) }];
    if (kind === 'ray') return [{ ...whole, ...together(capacities) }];
    return [...new Set(capacities.map(({ place }) => place))].map(partition => ({
      ...whole,
      ...together(capacities.filter(({ place }) => place === partition)),
      partition,
      name: `${name}, ${partition}`,
    }));
  });
}

/** SSH hosts and parts of clusters as last read, with or without GPUs; empty in Restricted Mode. */
export async function otherPlaces(gpus: MachineGpus): Promise<readonly OtherPlace[]> {
  const fleet = await gpus.fleet();
  const hosts = (fleet?.watches() ?? []).flatMap(({ host: { id, kind, name }, reading }): OtherPlace[] =>
    kind === 'ssh' ? [{ host: id, engine: kind, partition: null, name, note: troubleOf(reading) }] : [],
  );
  return [...hosts, ...clusterParts(fleet)];
}

/** The number of free GPUs is known only if every capacity reports it. */
function together(capacities: readonly Capacity[]) {
  const free = capacities.map(({ gpusFree }) => gpusFree);
  const notes = new Set(capacities.flatMap(({ note }) => note ?? []));
  return {
    gpus: sum(capacities.map(({ gpusTotal }) => gpusTotal)),
    free: free.includes(null) ? null : sum(free.map(count => count ?? 0)),
    note: notes.size === 0 ? null : [...notes].join('; '),
  };
}

const troubleOf = ({ status: { message, todo } }: HostReading): string | null =>
  message === null ? null : [message, todo].filter(text => text !== null).join(' ');

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** GPUs for the editor: possible targets of configs. */
export function hardwareOf(gpus: MachineGpus, catalog: () => Promise<GpuSource>) {
  return {
    present: async () => gpus.targets(await catalog()),
    places: async (requested: boolean) => gpus.places(await catalog(), requested),
    copied: async (text: string) => {
      const [{ gpusIn }, known] = await Promise.all([import('../gpu/openFleet'), catalog()]);
      return gpusIn(text, known);
    },
    onDidChange: gpus.onDidChange,
    catalog,
  };
}

/** Machines for jobs: where a run can go, and how to reach them. */
export function machinesOf(gpus: MachineGpus) {
  return {
    executables: () => gpus.executables(),
    ssh: () => gpus.ssh(),
    parts: async () => clusterParts(await gpus.fleet()),
    hasOthers: () => setting('hosts').length > 0,
    hosts: async () => sshHosts(await gpus.fleet()),
    sshConfig: () => gpus.ssh().configFile ?? null,
    hostCommand: () => setting('embed.hostCommand'),
    onlyPython: () => setting('embed.onlyPython'),
    gpus: async (place: JobPlace) => {
      const host = hostOf(place);
      return host === null ? null : freeGpus(await gpus.fleet(), host);
    },
  };
}

/** The id of the host that a job runs on; null: a scheduler chooses it. */
function hostOf(place: JobPlace): string | null {
  if (place.engine === 'local') return 'local';
  return place.engine === 'ssh' ? `ssh:${place.alias}` : null;
}

/** What the panel uses. */
export interface PanelServices extends PageServices {
  readonly pages: () => Promise<Pages>;
}
