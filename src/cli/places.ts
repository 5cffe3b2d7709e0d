import { catalogPlaces, machinePlaces, typePlace } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import { priceOf } from '../core/compare/price';
import { parseTarget } from '../core/hardware/target';
import type { GpuSource } from '../core/ports';
import { presentTargets } from '../gpu/present';
import { detectHere } from './machine';
import { BadInput } from './output';

export interface PlaceOptions {
  readonly gpu?: readonly string[];
  readonly gpus?: number;
  readonly all?: boolean;
}

/** The places that were asked for; else the GPUs of this machine, and the types that can be rented. */
export async function placesFor(options: PlaceOptions, gpus: GpuSource): Promise<readonly Place[]> {
  const count = options.gpus ?? null;
  const named = (options.gpu ?? []).map(name => namedPlace(name, gpus, count));
  if (named.length > 0) return named;
  const here = presentTargets(await detectHere(), gpus);
  const types = catalogPlaces(gpus, count);
  const shown = options.all ? types : types.filter(({ target }) => priceOf(target.name) !== null);
  return [...machinePlaces('local', { id: 'local', name: '' }, here, count), ...shown];
}

function namedPlace(name: string, gpus: GpuSource, count: number | null): Place {
  const reading = parseTarget(name, gpus, { count, nodes: 1 });
  if (!reading.ok) throw new BadInput(`--gpu ${name}: ${reading.why}`);
  return typePlace(reading.target);
}
