import { textIn, valueAt } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';
import type { Capacity, CapacityHolder } from '../fleet';
import { hamiGpus, hamiHeld } from './hami';
import type { HamiGpu } from './hami';
import { gpusOfNode } from './nodeGpus';
import type { NodeGpus } from './nodeGpus';
import { gpusOfPod, nameOf, textsAt } from './resources';

/** Pods that still hold or wait for what they ask for. */
const isOver = (pod: JsonRecord): boolean => {
  const phase = valueAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
};

/**
 * GPUs by node and type, with the pods that hold them. `pods` null: they may not be listed, so that what is free is
 * unknown.
 */
export function capacitiesOf(
  nodes: readonly JsonRecord[],
  pods: readonly JsonRecord[] | null,
): readonly Capacity[] {
  const byNode = new Map<string, JsonRecord[]>();
  for (const pod of pods ?? []) {
    const node = textIn(valueAt(pod, 'spec', 'nodeName'));
    if (node !== null && !isOver(pod)) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return nodes.flatMap(node => {
    const own = pods === null ? null : (byNode.get(String(valueAt(node, 'metadata', 'name'))) ?? []);
    const shared = hamiGpus(node);
    return gpusOfNode(node).map(gpus =>
      shared.length > 0 && gpus.resource === 'nvidia.com/gpu'
        ? sharedCapacity(gpus, shared, own)
        : capacityOf(gpus, own),
    );
  });
}

function capacityOf(gpus: NodeGpus, pods: readonly JsonRecord[] | null): Capacity {
  const holders = pods?.flatMap(pod => holderOf(pod, gpus.resource)) ?? null;
  // A pod with a fraction shares a GPU that the scheduler's reservation holds.
  const held = pods?.reduce((sum, pod) => sum + (gpusOfPod(pod).get(gpus.resource) ?? 0), 0) ?? null;
  const free = held === null ? null : Math.max(0, gpus.total - held);
  return {
    place: gpus.node,
    gpu: gpus.gpu,
    memoryMiB: gpus.memoryMiB,
    nodes: 1,
    gpusTotal: gpus.total,
    gpusFree: gpus.closed === null ? free : 0,
    note: notes([gpus.closed, gpus.note]),
    ...(holders !== null && { holders }),
  };
}

/** Annotations of KAI: a share of a GPU's memory, or an amount of it. */
const FRACTION = ['gpu-fraction', 'gpu-memory'] as const;

function holderOf(pod: JsonRecord, resource: string): readonly CapacityHolder[] {
  const count = gpusOfPod(pod).get(resource) ?? 0;
  if (count > 0) return [{ name: nameOf(pod), gpus: count }];
  if (resource !== 'nvidia.com/gpu') return [];
  const annotations = textsAt(pod, 'metadata', 'annotations');
  const [share, memory] = FRACTION.map(name => Number(annotations.get(name) ?? Number.NaN));
  if (share !== undefined && share > 0 && share < 1) return [{ name: nameOf(pod), gpus: share }];
  return memory !== undefined && memory > 0 ? [{ name: nameOf(pod), gpus: null, memoryMiB: memory }] : [];
}

/** HAMi offers each GPU several times, and divides its memory: whole GPUs count, and the most free memory of one. */
function sharedCapacity(
  gpus: NodeGpus,
  all: readonly HamiGpu[],
  pods: readonly JsonRecord[] | null,
): Capacity {
  const healthy = all.filter(({ isHealthy }) => isHealthy);
  const held = new Map<string, number>();
  const holders: CapacityHolder[] = [];
  for (const pod of pods ?? []) {
    const own = hamiHeld(pod);
    const memoryMiB = [...own.values()].reduce((sum, one) => sum + one, 0);
    if (own.size > 0) holders.push({ name: nameOf(pod), gpus: null, memoryMiB });
    for (const [uuid, amount] of own) held.set(uuid, (held.get(uuid) ?? 0) + amount);
  }
  const freeMiB = healthy.map(({ uuid, memoryMiB }) => memoryMiB - (held.get(uuid) ?? 0));
  const free = healthy.filter(({ uuid }) => (held.get(uuid) ?? 0) === 0).length;
  const most = Math.max(0, ...freeMiB);
  const sharing = pods === null ? 'HAMi shares its GPUs' : `HAMi: up to ${most} MiB free on one GPU`;
  return {
    place: gpus.node,
    gpu: gpus.gpu ?? textIn(healthy[0]?.type.replaceAll('-', ' ')),
    memoryMiB: healthy[0]?.memoryMiB ?? gpus.memoryMiB,
    nodes: 1,
    gpusTotal: all.length,
    gpusFree: gpus.closed === null ? (pods === null ? null : free) : 0,
    note: notes([gpus.closed, sharing, gpus.note]),
    ...(pods !== null && { holders }),
  };
}

const notes = (all: readonly (string | null)[]): string | null =>
  all.filter(one => one !== null).join('; ') || null;
