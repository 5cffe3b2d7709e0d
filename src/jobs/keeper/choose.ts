import { formatBytes } from '../../core/units';
import type { GpuSight, SeenGpu } from '../../core/hardware/sight';
import type { JobGpus } from '../job';
import { phrase } from '../../core/text/say';

/** A job that has GPUs, or is about to start on them, and the memory it holds on each. */
export interface Holder {
  readonly id: string;
  readonly gpus: JobGpus;
  /** By UUID; absent if none is seen. */
  readonly heldBytes: Readonly<Record<string, number>>;
}

type Choice =
  | { readonly kind: 'given'; readonly gpus: readonly SeenGpu[] }
  /** A sentence that says what it waits for. */
  | { readonly kind: 'wait'; readonly why: string }
  /** Waiting will not help. */
  | { readonly kind: 'never'; readonly why: string };

/**
 * GPUs for a job, those with the most free memory first. Memory promised to other jobs and not held yet is not
 * free: of two jobs that start at once, the second sees what the first will take. A job with an unknown need, or
 * one that exceeds a whole GPU, gets GPUs that no other Headroom job uses.
 */
export function chooseGpus(request: JobGpus, sight: GpuSight, holders: readonly Holder[]): Choice {
  const candidates = candidatesOf(request, sight.gpus);
  const missing = request.uuids.find(uuid => !sight.gpus.some(gpu => gpu.uuid === uuid));
  if (missing !== undefined) {
    return never(`${missing}: this machine has no such GPU; list GPUs with headroom gpus.`);
  }
  if (candidates.length < request.count) {
    return never(`It needs ${countOf(request.count)}, but this machine has ${candidates.length}.`);
  }
  const offers = candidates.map(gpu => offerOf(gpu, request.needBytes, holders, sight));
  const fitting = offers.filter(({ fits }) => fits).toSorted((a, b) => b.leftBytes - a.leftBytes);
  if (fitting.length >= request.count) {
    return { kind: 'given', gpus: fitting.slice(0, request.count).map(({ gpu }) => gpu) };
  }
  return { kind: 'wait', why: waitsFor(request, offers, sight) };
}

/** Whether two jobs may want the same GPU. */
export const compete = (a: JobGpus, b: JobGpus): boolean =>
  a.uuids.length === 0 || b.uuids.length === 0 || a.uuids.some(uuid => b.uuids.includes(uuid));

interface Offer {
  readonly gpu: SeenGpu;
  /** Free, and not promised. */
  readonly leftBytes: number;
  readonly fits: boolean;
}

const never = (why: string): Choice => ({ kind: 'never', why });

const candidatesOf = ({ uuids }: JobGpus, gpus: readonly SeenGpu[]): readonly SeenGpu[] =>
  uuids.length === 0 ? gpus : gpus.filter(({ uuid }) => uuids.includes(uuid));

function offerOf(gpu: SeenGpu, needBytes: number | null, holders: readonly Holder[], sight: GpuSight): Offer {
  const here = holders.filter(({ gpus }) => gpus.uuids.includes(gpu.uuid));
  const promised = here.reduce((sum, holder) => sum + promisedBytes(holder, gpu), 0);
  const leftBytes = freeOf(gpu, sight) - promised;
  const wantsAll = needBytes === null || (gpu.totalBytes !== null && needBytes > gpu.totalBytes);
  return { gpu, leftBytes, fits: wantsAll ? here.length === 0 : leftBytes >= needBytes };
}

/**
 * The smaller of the free memory that the GPU reports and what its list of processes leaves: either may be
 * outdated, and memory that a job holds must not count as free once it no longer counts as promised.
 */
function freeOf({ uuid, freeBytes, totalBytes }: SeenGpu, { processes }: GpuSight): number {
  const listed = (processes ?? []).reduce((sum, one) => sum + (one.uuid === uuid ? (one.bytes ?? 0) : 0), 0);
  const most = totalBytes === null ? Infinity : totalBytes - listed;
  return Math.min(freeBytes ?? totalBytes ?? 0, most);
}

/** The memory that a job will still take on a GPU; all of it if unknown. */
function promisedBytes({ gpus: { needBytes }, heldBytes }: Holder, gpu: SeenGpu): number {
  const wantsAll = needBytes === null || (gpu.totalBytes !== null && needBytes > gpu.totalBytes);
  return wantsAll ? Infinity : Math.max(0, needBytes - (heldBytes[gpu.uuid] ?? 0));
}

const countOf = (count: number): string => (count === 1 ? phrase`a GPU` : phrase`${count} GPUs`);

function waitsFor(request: JobGpus, offers: readonly Offer[], sight: GpuSight): string {
  const { count, needBytes } = request;
  if (needBytes === null) return phrase`waits for ${countOf(count)} that no other job uses`;
  const [most] = offers.toSorted((a, b) => b.leftBytes - a.leftBytes);
  const all = count === 1 ? phrase`a GPU` : phrase`each of ${count} GPUs`;
  const wanted = phrase`waits for ${formatBytes(needBytes)} on ${all}`;
  if (!most) return wanted;
  const left = Math.max(0, most.leftBytes);
  const free = phrase`${wanted}: at most ${formatBytes(left)} is free, on GPU ${most.gpu.index}`;
  const holder = holderOn(most.gpu, sight);
  return holder === null ? free : phrase`${free} (${holder})`;
}

/** The process that holds most memory of a GPU. */
function holderOn({ uuid }: SeenGpu, { processes }: GpuSight): string | null {
  const [most] = (processes ?? [])
    .filter(process => process.uuid === uuid && process.bytes !== null)
    .toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  if (!most) return null;
  return phrase`${most.name ?? 'a process'}, ${most.pid}, uses ${formatBytes(most.bytes ?? 0)}`;
}
