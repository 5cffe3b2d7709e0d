import { readerOf } from '../dialects/write';
import type { RunSpec } from '../spec/runSpec';
import { perDevice } from './batch';
import { scalarsOf } from '../spec/scalarKeys';
import type { ScalarKey } from '../spec/scalarKeys';

const NAMES: ReadonlySet<string> = new Set([
  'learning_rate',
  'lr',
  'base_lr',
  'BASE_LR',
  'lr0',
  'max_lr',
  'lr_temporal',
]);

/** SGD and its like; all else adapts its steps. */
const PLAIN = /^(?:sgd|momentum|nesterov|lars)/i;

/** The key that holds the learning rate, where one plain number does. */
export function learningRateOf(run: RunSpec): ScalarKey | null {
  const found = scalarsOf(run).filter(({ name, value }) => NAMES.has(name) && rateOf(value) !== null);
  return found.length === 1 ? (found[0] ?? null) : found.length === 0 ? beneath(run) : null;
}

/** Where a file that the config lies over has it (yacs: `_BASE_`). */
const BENEATH = ['SOLVER.BASE_LR', 'TRAIN.BASE_LR'];

function beneath(run: RunSpec): ScalarKey | null {
  const reader = readerOf(run);
  for (const path of BENEATH) {
    const value = reader.has(path) ? reader.value(path) : null;
    if (typeof value === 'number') return { path, name: 'BASE_LR', value };
  }
  return null;
}

/** YAML 1.1 reads `2e-4` as text, and programs read it as a number. */
export function rateOf(value: ScalarKey['value']): number | null {
  const rate = typeof value === 'string' && /^[\d.]+e-?\d+$/i.test(value) ? Number(value) : value;
  return typeof rate === 'number' && rate > 0 && rate < 10 ? rate : null;
}

/** Linear with SGD (Goyal et al., arXiv 1706.02677), by the square root with Adam (Malladi et al., arXiv 2205.10782). */
export const isLinear = (run: RunSpec): boolean => PLAIN.test(run.quantities.optimizer.value ?? '');

/**
 * What becomes of the learning rate where the effective batch changes: both rules, and which of them is for this
 * optimizer. Null where the batch stays, or nobody knows it.
 */
export function learningRateLine(before: RunSpec, after: RunSpec): string | null {
  const [was, is] = [batchOf(before), batchOf(after)];
  const key = learningRateOf(before);
  const rate = key && rateOf(key.value);
  if (was === null || is === null || was === is || key === null || rate === null) return null;
  // A change of the batch may have taken the rate along.
  if (rateOf(learningRateOf(after)?.value ?? null) !== rate) return null;
  const factor = is / was;
  const linear = `${shown(rate * factor)} by the linear rule (SGD, arXiv 1706.02677)`;
  const root = `${shown(rate * Math.sqrt(factor))} by the square root (Adam, arXiv 2205.10782)`;
  const [first, second] = isLinear(before) ? [linear, root] : [root, linear];
  return `${key.path} ${shown(rate)}: the batch is ${shown(factor)} times as large. Consider ${first}, or ${second}`;
}

const batchOf = (run: RunSpec): number | null => run.quantities.effectiveBatch.value ?? perDevice(run);

/** Three digits that count. */
export const shown = (value: number): string => String(Number(value.toPrecision(3)));
