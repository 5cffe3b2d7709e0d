import type { GpuSource } from '../core/hardware/match';
import { setting } from '../host/settings';
import type { JobPlace } from '../jobs/job';
import { clusterParts } from './clusterParts';
import { freeGpus, sshHosts } from './freeGpus';
import type { MachineGpus } from './machineGpus';
import type { Pages } from './page/chunk';
import type { PageServices } from './pageServices';

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
