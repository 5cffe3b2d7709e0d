import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';

/** `list(range(0, 4))`, or how many. */
const RANGE = /^list\(range\((?:(\d+),\s*)?(\d+)\)\)$/;

/** Ray's groups say their GPUs; elsewhere NPROC_PER_NODE does. */
export function gpus(run: RunReader): Quantity<number> {
  if (run.has('train.gpus')) return run.at('train.gpus', run.count('train.gpus'));
  const ranks = run.flag('use_ray') ? run.value('device_groups.default.ranks') : null;
  if (typeof ranks === 'number') return run.at('device_groups.default.ranks', ranks);
  const range = typeof ranks === 'string' ? RANGE.exec(ranks) : null;
  if (range) {
    return run.at('device_groups.default.ranks', Number(range[2]) - Number(range[1] ?? 0));
  }
  return run.unknown('NPROC_PER_NODE decides the number of GPUs; the config does not say it.');
}
