import { machinePlaces } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import type { GpuFacts } from '../core/hardware/gpu';
import { plannedTarget } from '../core/hardware/target';
import type { GpuSource } from '../core/hardware/match';
import type { Capacity, HostReading, HostState, HostWatch } from './fleet';
import { presentTargets } from './present';
import type { Timers } from './timers';

/** Where a run could go among these hosts: groups of equal GPUs, and capacities of clusters. */
export function hostPlaces(readings: readonly HostReading[], gpus: GpuSource): readonly Place[] {
  return readings.flatMap(reading => {
    const { kind } = reading.host;
    if (kind === 'metrics') return nodesOf(reading).flatMap(node => nodePlaces(node, gpus));
    return kind === 'local' || kind === 'ssh'
      ? machinePlaces(kind, reading.host, machineTargets(reading, gpus), null)
      : clusterPlaces(kind, reading, gpus);
  });
}

function machineTargets({ devices, samples, machine }: HostReading, gpus: GpuSource) {
  const hostMiB = machine?.memoryTotalMiB ?? null;
  return presentTargets({ devices, samples, ...(hostMiB !== null && { hostMiB }) }, gpus);
}

/** The reading of each machine that a server has metrics of. */
function nodesOf(reading: HostReading): readonly HostReading[] {
  const nodes = [...new Set(reading.devices.map(({ node }) => node))];
  return nodes.map(node => ({ ...reading, devices: reading.devices.filter(one => one.node === node) }));
}

function nodePlaces(reading: HostReading, gpus: GpuSource): readonly Place[] {
  const { id, name } = reading.host;
  const node = reading.devices[0]?.node;
  const host =
    node === undefined ? { id, name } : { id: `${id}/${encodeURIComponent(node)}`, name: `${name}, ${node}` };
  return machinePlaces('metrics', host, machineTargets(reading, gpus), null);
}

/** A scheduler leaves the number of GPUs to the run, or to the person who submits it. */
function clusterPlaces(
  kind: 'slurm' | 'ray' | 'kubernetes',
  { host, capacities }: HostReading,
  gpus: GpuSource,
): Place[] {
  return capacities.flatMap(capacity => {
    const found = typeOf(capacity, gpus);
    if (found === null) return [];
    const { gpu, memoryMiB, guessNote } = found;
    const target = plannedTarget(gpu, memoryMiB, { count: null, nodes: 1 });
    const note = [guessNote, capacity.note].filter(text => text !== null).join('; ');
    return [
      {
        id: `${host.id}/${capacity.place}/${capacity.gpu ?? ''}`,
        kind,
        where: `${host.name}, ${capacity.place}`,
        target,
        gpus: capacity.gpusTotal,
        free: capacity.gpusFree,
        note: note === '' ? null : note,
      },
    ];
  });
}

interface FoundType {
  readonly gpu: GpuFacts;
  readonly memoryMiB: number;
  /** The assumption that was made. */
  readonly guessNote: string | null;
}

/**
 * Clusters use short GPU names (`a100`): if several types match, the one with the least memory is used, with a
 * note.
 */
function typeOf({ gpu: name, memoryMiB }: Capacity, gpus: GpuSource): FoundType | null {
  if (name === null) return null;
  const seen = gpus.ofDevice(name, memoryMiB);
  const match = gpus.match(name);
  const [least] = match.kind === 'several' ? match.gpus.toSorted((a, b) => sizeOf(a) - sizeOf(b)) : [];
  const gpu = seen ?? (match.kind === 'one' ? match.gpu : least);
  const size = memoryMiB ?? gpu?.memoryMiB ?? null;
  if (!gpu || size === null) return null;
  const isGuess = seen === null && match.kind === 'several' && memoryMiB === null;
  return {
    gpu,
    memoryMiB: size,
    guessNote: isGuess ? `“${name}” is taken as the smallest GPU of that name` : null,
  };
}

const sizeOf = ({ memoryMiB }: GpuFacts): number => memoryMiB ?? Infinity;

const UNDER_WAY: readonly HostState[] = ['idle', 'connecting'];

/** Whether a host has reported its state and its GPUs. */
export function hasAnswered({ status, samples, capacities }: HostReading): boolean {
  if (status.state === 'live') return samples.length > 0 || capacities.length > 0;
  return !UNDER_WAY.includes(status.state);
}

/** The readings of hosts once each has answered, or their current state on a timeout; holds them only meanwhile. */
export async function askHosts(
  watches: readonly HostWatch[],
  patienceMs: number,
  timers: Timers,
): Promise<readonly HostReading[]> {
  return Promise.all(watches.map(watch => askHost(watch, patienceMs, timers)));
}

function askHost(watch: HostWatch, patienceMs: number, timers: Timers): Promise<HostReading> {
  return new Promise(resolve => {
    const endings: (() => void)[] = [];
    const end = (): void => {
      // Read before the release, which makes the watch idle.
      const { reading } = watch;
      for (const ending of endings.splice(0)) ending();
      resolve(reading);
    };
    endings.push(
      watch.on(reading => {
        if (hasAnswered(reading)) end();
      }),
      timers.after(patienceMs, end),
    );
    endings.push(watch.hold());
    if (hasAnswered(watch.reading)) end();
  });
}
