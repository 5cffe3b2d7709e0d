import type { SlurmNode } from './nodes';

/** States in which a node accepts no new jobs, the most informative first. */
const CLOSED: readonly (readonly [string, string])[] = [
  ['DOWN', 'down'],
  ['ERROR', 'down'],
  ['NOT_RESPONDING', 'not answering'],
  ['NO_RESPOND', 'not answering'],
  ['UNKNOWN', 'not answering'],
  ['FAIL', 'failing'],
  ['FAILING', 'failing'],
  ['INVALID', 'misconfigured'],
  ['INVALID_REG', 'misconfigured'],
  ['DRAIN', 'drained'],
  ['DRAINED', 'drained'],
  ['DRAINING', 'drained'],
  ['MAINT', 'in maintenance'],
  ['MAINTENANCE', 'in maintenance'],
  ['REBOOT', 'rebooting'],
  ['REBOOT_ISSUED', 'rebooting'],
  ['REBOOT_REQUESTED', 'rebooting'],
  ['POWERING_DOWN', 'powering down'],
  ['POWER_DOWN', 'powering down'],
  ['RESERVED', 'reserved'],
  ['BLOCKED', 'blocked'],
];

/** Why a node accepts no new jobs, in a word or two; null if it does. */
export function closedBecause({ states }: SlurmNode): string | null {
  return CLOSED.find(([state]) => states.has(state))?.[1] ?? null;
}

/** All CPUs are allocated, so free GPUs are unavailable, since every job needs a CPU. */
export const hasNoCpu = ({ states }: SlurmNode): boolean => states.has('ALLOCATED') || states.has('ALLOC');

/** Powered down to save energy, and started when a job comes. */
export const isPoweredDown = ({ states }: SlurmNode): boolean =>
  states.has('POWERED_DOWN') || states.has('POWER_SAVING');

/** GPUs of a type that no job holds, whatever the node's state; null: unknown. */
export function freeGpus(node: SlurmNode, type: string | null): number | null {
  if (node.gpusUsed === null) return null;
  const total = countOf(node.gpus, type);
  const types = new Set(node.gpus.map(gpu => gpu.type));
  const untyped = type === null ? 0 : countOf(node.gpusUsed, null);
  // With several types, the type of an untyped use is unknown.
  if (untyped > 0 && types.size > 1) return null;
  const shared = types.size > 1 ? 0 : gpusInShards(node);
  return Math.max(0, total - countOf(node.gpusUsed, type) - untyped - shared);
}

const countOf = (list: readonly { type: string | null; count: number }[], type: string | null): number =>
  list.filter(gpu => gpu.type === type).reduce((sum, gpu) => sum + gpu.count, 0);

/** GPUs that are partly allocated as shards: `(IDX:0-1)`, later `(2/4,0/4)`; they are not available as a whole. */
function gpusInShards(node: SlurmNode): number {
  return node.shardsUsed
    .filter(shard => shard.count > 0)
    .map(({ detail }) => (detail.startsWith('IDX:') ? indexes(detail.slice(4)) : partly(detail)))
    .reduce((sum, count) => sum + count, 0);
}

const partly = (detail: string): number =>
  detail.split(',').filter(share => /^\s*[1-9]\d*\//.test(share)).length;

/** The number of indices in `0-2,5`; 0 for `N/A`. */
function indexes(list: string): number {
  return list
    .split(',')
    .map(range => /^(\d+)(?:-(\d+))?$/.exec(range.trim()))
    .reduce((sum, range) => sum + (range ? Number(range[2] ?? range[1]) - Number(range[1]) + 1 : 0), 0);
}
