import type { FreeGpu, HostOfMany } from '../core/compare/machines';
import type { HostReading, HostState } from '../gpu/fleet';
import type { OpenFleet } from '../gpu/openFleet';
import { MIB } from '../core/units';
import { told } from '../core/text/say';
import { say } from '../host/say';

/**
 * GPUs of this machine (`local`) or of a host (`ssh:ALIAS`), read now; null if a scheduler allocates them, or in
 * Restricted Mode.
 */
export async function freeGpus(fleet: OpenFleet | null, host: string): Promise<readonly FreeGpu[] | null> {
  const watch = fleet?.watches().find(one => one.host.id === host) ?? null;
  if (fleet === null || watch === null) return null;
  if (watch !== fleet.local) return gpusOf(await fleet.ask(watch));
  const { devices, samples } = await fleet.detection();
  const { reading } = fleet.local;
  return gpusOf({ devices, samples: reading.samples.length > 0 ? reading.samples : samples });
}

/** The host answered, whatever it has. */
const THERE: readonly HostState[] = ['live', 'no-gpu', 'no-tool', 'asleep'];

/** The configured SSH hosts, read now. */
export async function sshHosts(fleet: OpenFleet | null): Promise<readonly HostOfMany[]> {
  const watches = fleet?.watches().filter(({ host }) => host.kind === 'ssh') ?? [];
  return Promise.all(
    watches.map(async watch => {
      const { id, name } = watch.host;
      const reading = await fleet?.ask(watch);
      const { state, message } = (reading ?? watch.reading).status;
      const trouble = THERE.includes(state) ? null : message === null ? state : told(say, message);
      return { alias: id.slice('ssh:'.length), name, gpus: reading ? gpusOf(reading) : [], trouble };
    }),
  );
}

/** GPUs with a UUID; programs choose among others themselves. */
function gpusOf({ devices, samples }: Pick<HostReading, 'devices' | 'samples'>): readonly FreeGpu[] {
  return devices.flatMap(({ uuid, index, name, key, memoryTotalMiB }) => {
    if (uuid === null) return [];
    const sample = samples.find(one => one.key === key);
    const used = sample?.memoryUsedMiB ?? null;
    const left = memoryTotalMiB === null || used === null ? null : memoryTotalMiB - used;
    const freeMiB = sample?.memoryFreeMiB ?? left;
    return [
      {
        index,
        uuid,
        name: name ?? 'GPU',
        totalBytes: memoryTotalMiB === null ? null : memoryTotalMiB * MIB,
        freeBytes: freeMiB === null ? null : freeMiB * MIB,
      },
    ];
  });
}
