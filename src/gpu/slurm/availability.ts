import type { SlurmNode } from './nodes';

/** States that keep new jobs from a node, the one that explains most first. */
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

/** Why a node takes no new job now, in a word or two; null when it does. */
export function closedBecause({ states }: SlurmNode): string | null {
  return CLOSED.find(([state]) => states.has(state))?.[1] ?? null;
}

/** All its CPUs are given away: GPUs that are left cannot be had, since every job needs a CPU. */
export const hasNoCpu = ({ states }: SlurmNode): boolean => states.has('ALLOCATED') || states.has('ALLOC');

/** Switched off to save power, and started when a job comes. */
export const isPoweredDown = ({ states }: SlurmNode): boolean =>
  states.has('POWERED_DOWN') || states.has('POWER_SAVING');

/** GPUs of a type that no job holds, whatever state the node is in; null: the cluster does not say. */
export function unheld(node: SlurmNode, type: string | null): number | null {
  if (node.gpusUsed === null) return null;
  const total = countOf(node.gpus, type);
  const types = new Set(node.gpus.map(gpu => gpu.type));
  const untyped = type === null ? 0 : countOf(node.gpusUsed, null);
  // Of several types, no one says which one a use without type is of.
  if (untyped > 0 && types.size > 1) return null;
  const shared = types.size > 1 ? 0 : gpusInShards(node);
  return Math.max(0, total - countOf(node.gpusUsed, type) - untyped - shared);
}

const countOf = (list: readonly { type: string | null; count: number }[], type: string | null): number =>
  list.filter(gpu => gpu.type === type).reduce((sum, gpu) => sum + gpu.count, 0);

/** GPUs of which a part is given away as shards: `(IDX:0-1)`, later `(2/4,0/4)`; they are not had whole. */
function gpusInShards(node: SlurmNode): number {
  return node.shardsUsed
    .filter(shard => shard.count > 0)
    .map(({ detail }) => (detail.startsWith('IDX:') ? indexes(detail.slice(4)) : partly(detail)))
    .reduce((sum, count) => sum + count, 0);
}

const partly = (detail: string): number =>
  detail.split(',').filter(share => /^\s*[1-9]\d*\//.test(share)).length;

/** How many indexes there are in `0-2,5`; `N/A` is none. */
function indexes(list: string): number {
  return list
    .split(',')
    .map(range => /^(\d+)(?:-(\d+))?$/.exec(range.trim()))
    .reduce((sum, range) => sum + (range ? Number(range[2] ?? range[1]) - Number(range[1]) + 1 : 0), 0);
}
