import type { Capacity, CapacityNode } from '../fleet';
import { closedBecause, hasNoCpu, isPoweredDown, freeGpus } from './availability';
import { typeMemoryMiB } from './partitions';
import type { SlurmNode } from './nodes';
import type { Partition } from './partitions';

/** GPUs by partition and type, in the order of the partitions. */
export function capacitiesOf(
  nodes: readonly SlurmNode[],
  partitions: readonly Partition[],
  waiting: ReadonlyMap<string, number>,
): readonly Capacity[] {
  return partitions.flatMap(partition => {
    const inside = nodes.filter(node => node.partitions.includes(partition.name));
    const types = new Set(inside.flatMap(node => node.gpus.map(gpu => gpu.type)));
    const jobs = waiting.get(partition.name) ?? 0;
    return [...types].map(type => capacityOf(partition, type, inside, jobs));
  });
}

function capacityOf(
  partition: Partition,
  type: string | null,
  inside: readonly SlurmNode[],
  jobs: number,
): Capacity {
  const nodes = inside.filter(node => node.gpus.some(gpu => gpu.type === type));
  const members = nodes.map(node => memberOf(node, type, partition));
  const free = members.map(member => member.gpusFree);
  return {
    place: partition.name,
    gpu: type,
    memoryMiB: type === null ? null : typeMemoryMiB(type),
    nodes: nodes.length,
    gpusTotal: sum(members.map(member => member.gpusTotal)),
    gpusFree: free.includes(null) ? null : sum(free.map(count => count ?? 0)),
    note: noteOf(partition, nodes, type, jobs),
    members,
  };
}

const isUp = (partition: Partition): boolean => partition.availability === 'up';

function memberOf(node: SlurmNode, type: string | null, partition: Partition): CapacityNode {
  const gpusTotal = sum(node.gpus.filter(gpu => gpu.type === type).map(gpu => gpu.count));
  const closed = closedBecause(node);
  const free = freeGpus(node, type);
  const stranded = closed === null && hasNoCpu(node) && free !== null && free > 0;
  const cannot = closed !== null || stranded || !isUp(partition);
  const why = closed ?? (stranded ? 'no free CPU' : isPoweredDown(node) ? 'starts on demand' : null);
  return {
    name: node.name,
    gpusTotal,
    gpusFree: cannot ? 0 : free,
    note: closed !== null && node.reason !== null ? `${closed}: ${node.reason}` : why,
  };
}

/** Why GPUs are unavailable, then limits that a job there must know. */
function noteOf(
  partition: Partition,
  nodes: readonly SlurmNode[],
  type: string | null,
  jobs: number,
): string | null {
  const parts = [
    isUp(partition) ? null : `the partition is ${AVAILABILITY[partition.availability] ?? 'not up'}`,
    closedNodes(nodes),
    strandedGpus(nodes, type),
    partition.timeLimit === null ? null : `${partition.timeLimit} at most`,
    jobs === 0 ? null : `${jobs} GPU ${jobs === 1 ? 'job is waiting' : 'jobs are waiting'}`,
  ].filter(part => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

const AVAILABILITY: Readonly<Record<string, string>> = { down: 'down', drain: 'drained', inact: 'inactive' };

/** `1 of 4 nodes drained, 1 down`. */
function closedNodes(nodes: readonly SlurmNode[]): string | null {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const why = closedBecause(node);
    if (why !== null) counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const [first = '', ...others] = [...counts].map(([why, count], i) =>
    i === 0
      ? `${count} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} ${why}`
      : `${count} ${why}`,
  );
  return [first, ...others].join(', ');
}

function strandedGpus(nodes: readonly SlurmNode[], type: string | null): string | null {
  const open = nodes.filter(node => closedBecause(node) === null && hasNoCpu(node));
  const count = sum(open.map(node => freeGpus(node, type) ?? 0));
  return count === 0 ? null : `${count} idle on nodes without a free CPU`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
