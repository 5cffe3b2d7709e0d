import type { Target } from '../hardware/gpu';
import { plannedTarget } from '../hardware/target';
import type { GpuSource } from '../hardware/match';

/** Kinds of places, in display order. */
export const PLACE_KINDS = ['local', 'ssh', 'metrics', 'slurm', 'ray', 'kubernetes', 'catalog'] as const;

export type PlaceKind = (typeof PLACE_KINDS)[number];

/** Where a run could go: equal GPUs of a machine or of part of a cluster, or a GPU type to rent or buy. */
export interface Place {
  /** Unique within a comparison, and stable for the same place. */
  readonly id: string;
  readonly kind: PlaceKind;
  /** Host, partition or node by its usual name; '' for this machine and for the catalog. */
  readonly where: string;
  /** One of its GPUs, with the memory that others hold now, and the number of GPUs that a run would get. */
  readonly target: Target;
  /** The number of GPUs; null: a type, with no limit on its number. */
  readonly gpus: number | null;
  /** Free GPUs as the scheduler counts them; null: not counted. */
  readonly free: number | null;
  /** A note about the place: `2 nodes drained`. */
  readonly note: string | null;
}

/** Places of this machine or a host: equal GPUs that are about equally busy form one place. */
export function machinePlaces(
  kind: 'local' | 'ssh' | 'metrics',
  host: { readonly id: string; readonly name: string },
  targets: readonly Target[],
  count: number | null,
): readonly Place[] {
  return targets.map((target, i) => ({
    id: `${host.id}/${i}`,
    kind,
    where: kind === 'local' ? '' : host.name,
    target: { ...target, count: count ?? target.count },
    gpus: target.count,
    free: null,
    note: null,
  }));
}

/** Every GPU type of the catalog with a known memory size. */
export function catalogPlaces(gpus: GpuSource, count: number | null): readonly Place[] {
  return gpus.all().flatMap(gpu => {
    if (gpu.memoryMiB === null) return [];
    const target = plannedTarget(gpu, gpu.memoryMiB, { count, nodes: 1 });
    return [typePlace(target)];
  });
}

/** A GPU type, or an amount of memory, that the user names. */
export function typePlace(target: Target): Place {
  return {
    id: `catalog/${target.name}`,
    kind: 'catalog',
    where: '',
    target,
    gpus: null,
    free: null,
    note: null,
  };
}

/** The place with the given number of GPUs, for configs that leave the number to their launcher. */
export function withCount(place: Place, count: number | null): Place {
  return count === null ? place : { ...place, target: { ...place.target, count } };
}
