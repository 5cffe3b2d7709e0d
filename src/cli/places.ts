import { catalogPlaces, machinePlaces, typePlace, withCount } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import { priceOf } from '../core/hardware/price';
import { parseTarget } from '../core/hardware/target';
import type { GpuSource } from '../core/hardware/match';
import type { HostReading, HostState } from '../gpu/fleet';
import { hostPlaces } from '../gpu/places';
import { presentTargets } from '../gpu/present';
import { nodeTimers } from '../gpu/timers';
import { firstReadings } from './gpus/first';
import { hostsFor, namesHosts } from './gpus/hosts';
import type { HostOptions } from './gpus/hosts';
import { detectHere } from './machine';
import { BadInput } from './output';

export interface PlaceOptions extends HostOptions {
  readonly gpu?: readonly string[];
  readonly gpus?: number;
  readonly all?: boolean;
}

interface Places {
  readonly places: readonly Place[];
  /** Sentences about hosts that did not report their GPUs. */
  readonly silent: readonly string[];
}

const INTERVAL_MS = 1000;

/** The requested places; by default this machine's GPUs, and types that can be rented. */
export async function placesFor(options: PlaceOptions, gpus: GpuSource): Promise<Places> {
  const { gpu = [], all } = options;
  const count = options.gpus ?? null;
  const named = gpu.map(name => namedPlace(name, gpus, count));
  const asksHosts = namesHosts(options);
  const { places, silent } = asksHosts ? await placesOn(options, gpus, count) : { places: [], silent: [] };
  const types = all ? catalogPlaces(gpus, count) : [];
  if (asksHosts || named.length > 0) return { places: [...places, ...named, ...types], silent };
  const here = machinePlaces(
    'local',
    { id: 'local', name: '' },
    presentTargets(await detectHere(), gpus),
    count,
  );
  const rented = catalogPlaces(gpus, count).filter(({ target }) => priceOf(target.name) !== null);
  return { places: [...here, ...(all ? types : rented)], silent };
}

function namedPlace(name: string, gpus: GpuSource, count: number | null): Place {
  const reading = parseTarget(name, gpus, { count, nodes: 1 });
  if (!reading.ok) throw new BadInput(`--gpu ${name}: ${reading.why}`);
  return typePlace(reading.target);
}

async function placesOn(options: HostOptions, gpus: GpuSource, count: number | null): Promise<Places> {
  const watches = hostsFor(options, INTERVAL_MS, null);
  try {
    const readings = await firstReadings(watches, nodeTimers);
    const places = hostPlaces(readings, gpus).map(place => withCount(place, count));
    return { places, silent: readings.flatMap(silence) };
  } finally {
    for (const watch of watches) watch.dispose();
  }
}

const WELL: readonly HostState[] = ['live', 'no-gpu', 'asleep'];

function silence({ host, status: { state, message, todo } }: HostReading): string[] {
  if (WELL.includes(state)) return [];
  return [`${host.name}: ${[message ?? `It did not answer (${state}).`, todo].filter(Boolean).join(' ')}`];
}
