import type { Target } from '../hardware/gpu';
import { plannedTarget } from '../hardware/target';
import type { GpuSource } from '../hardware/match';

/** Where a place belongs to, in the order in which they are shown. */
export const PLACE_KINDS = ['local', 'ssh', 'slurm', 'ray', 'catalog'] as const;

export type PlaceKind = (typeof PLACE_KINDS)[number];

/** Somewhere a run could go: equal GPUs of a machine, of a part of a cluster, or a type of GPU that one could get. */
export interface Place {
  /** The same for the same place, among all of a comparison. */
  readonly id: string;
  readonly kind: PlaceKind;
  /** Host, partition or node as people call it; '' for this machine and for the catalog. */
  readonly where: string;
  /** One of its GPUs, with the memory that others hold now, and how many a run there would get. */
  readonly target: Target;
  /** How many of them there are; null: a type, of which there are as many as one pays for. */
  readonly gpus: number | null;
  /** How many of them no one has taken, as a scheduler counts; null: not counted. */
  readonly free: number | null;
  /** What you should know of it: `2 nodes drained`. */
  readonly note: string | null;
}

/** GPUs that a program can have of this machine or a host: equal ones, about equally busy, are one place. */
export function machinePlaces(
  kind: 'local' | 'ssh',
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

/** Every type of the catalog whose memory is known. */
export function catalogPlaces(gpus: GpuSource, count: number | null): readonly Place[] {
  return gpus.all().flatMap(gpu => {
    if (gpu.memoryMiB === null) return [];
    const target = plannedTarget(gpu, gpu.memoryMiB, { count, nodes: 1 });
    return [typePlace(target)];
  });
}

/** A type of GPU, or an amount of memory, that someone names. */
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

/** As many GPUs as someone said, where the config leaves that to its launcher. */
export function withCount(place: Place, count: number | null): Place {
  return count === null ? place : { ...place, target: { ...place.target, count } };
}
