import type { SlotHost } from '../../../jobs/shards/slots';
import type { HostReading } from '../../../gpu/fleet';
import { nodeTimers } from '../../../gpu/timers';
import { firstReadings } from '../../gpus/first';
import { hostsFor } from '../../gpus/hosts';
import { placeOf } from '../../jobs/place';
import { BadInput } from '../../output';
import { counted } from '../../../core/units';

export interface SpreadHosts {
  readonly hosts?: readonly string[];
  readonly gpusPerHost?: number;
  readonly sshConfig?: string;
}

const INTERVAL_MS = 1000;

/** The hosts with the GPUs to use, by UUID; a host without a GPU uses its CPU. */
export async function spreadHosts({
  hosts = [],
  gpusPerHost,
  sshConfig,
}: SpreadHosts): Promise<readonly SlotHost[]> {
  const names = [...new Set(hosts.flatMap(name => name.split(',')).filter(name => name !== ''))];
  if (names.includes('local')) {
    throw new BadInput(
      '--hosts local: this machine cannot be one of several. Use SSH hosts, or --gpus all for this one.',
    );
  }
  const options = sshConfig === undefined ? { host: names } : { host: names, sshConfig };
  const watches = hostsFor(options, INTERVAL_MS, null);
  try {
    const readings = await firstReadings(watches, nodeTimers);
    return names.map((name, at) => slotHost(name, readings[at], gpusPerHost));
  } finally {
    for (const watch of watches) watch.dispose();
  }
}

/** The host answered, whatever it has. */
const THERE: ReadonlySet<string> = new Set(['live', 'no-gpu', 'no-tool', 'asleep']);

function slotHost(name: string, reading: HostReading | undefined, wanted: number | undefined): SlotHost {
  const state = reading?.status.state;
  if (!reading || !THERE.has(state ?? '')) {
    throw new BadInput(
      `${name}: ${reading?.status.message ?? 'it does not answer.'} ${reading?.status.todo ?? ''}`.trim(),
    );
  }
  const all = reading.devices.flatMap(({ uuid }) => (uuid === null ? [] : [uuid]));
  if (all.length > 0 && wanted !== undefined && all.length < wanted) {
    throw new BadInput(`${name} has ${counted(all.length, 'GPU')}, not ${wanted}: lower --gpus-per-host.`);
  }
  const gpus = all.slice(0, wanted ?? all.length);
  return { place: placeOf({ host: name }), name, gpus, workers: wanted ?? 1 };
}
