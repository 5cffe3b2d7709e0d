import { readerOf } from '../dialects/write';
import type { RunSpec } from '../spec/runSpec';
import { perDevice } from './batch';
import { scalarsOf } from '../spec/scalarKeys';
import { commas } from '../text/lists';
import type { Say } from '../text/say';
import type { ScalarKey } from '../spec/scalarKeys';

/** A learning rate in the files, and its value for the new batch. */
export interface ScaledRate {
  readonly path: string;
  readonly was: number;
  readonly is: number;
}

const NAMES: ReadonlySet<string> = new Set(['learning_rate', 'lr', 'base_lr', 'BASE_LR', 'lr0', 'max_lr']);

/** `lr_temporal`, `lr_backbone`: the rate of a part; excludes keys of a schedule. */
const OF_A_PART =
  /^lr_(?!.*(?:decay|warm|gamma|factor|step|min|end|final|power|mult|scal|drop|schedul|ratio))/;

/** SGD and similar optimizers; all others adapt their step size. */
const PLAIN = /^(?:sgd|momentum|nesterov|lars)/i;

/** The only key with a learning rate; null if there are none or several. */
export function learningRateOf(run: RunSpec): ScalarKey | null {
  const found = learningRatesOf(run);
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** All keys with a learning rate: parts of a model may have separate ones. */
function learningRatesOf(run: RunSpec): readonly ScalarKey[] {
  const isRate = (name: string): boolean => NAMES.has(name) || OF_A_PART.test(name);
  const found = scalarsOf(run).filter(({ name, value }) => isRate(name) && rateOf(value) !== null);
  const other = found.length > 0 ? null : beneath(run);
  return other ? [other] : found;
}

/** Where the config's base file has it (yacs: `_BASE_`). */
const BENEATH = ['SOLVER.BASE_LR', 'TRAIN.BASE_LR'];

function beneath(run: RunSpec): ScalarKey | null {
  const reader = readerOf(run);
  for (const path of BENEATH) {
    const value = reader.has(path) ? reader.value(path) : null;
    if (typeof value === 'number') return { path, name: 'BASE_LR', value };
  }
  return null;
}

/** YAML 1.1 reads `2e-4` as a string, but programs read it as a number. */
export function rateOf(value: ScalarKey['value']): number | null {
  const rate = typeof value === 'string' && /^[\d.]+e-?\d+$/i.test(value) ? Number(value) : value;
  return typeof rate === 'number' && rate > 0 && rate < 10 ? rate : null;
}

/**
 * Linear scaling with SGD (Goyal et al., arXiv 1706.02677), square root with Adam (Malladi et al., arXiv
 * 2205.10782).
 */
export const isLinear = (run: RunSpec): boolean => PLAIN.test(run.quantities.optimizer.value ?? '');

/**
 * The new learning rate for a changed effective batch size: both rules, and which one is for this optimizer. Null
 * if the batch stays or is unknown.
 */
export function learningRateLine(say: Say, before: RunSpec, after: RunSpec): string | null {
  const rates = ratesLeft(before, after);
  const factor = batchFactor(before, after);
  if (rates.length === 0 || factor === null) return null;
  const times = (by: number): string =>
    rates.map(({ rate }) => shown(rate * by)).reduce((all, one) => say('{0} and {1}', all, one));
  const linear = say('{0} by the linear rule (SGD, arXiv 1706.02677)', times(factor));
  const root = say('{0} by the square root (Adam, arXiv 2205.10782)', times(Math.sqrt(factor)));
  const [first, second] = isLinear(before) ? [linear, root] : [root, linear];
  const now = commas(
    say,
    rates.map(({ path, rate }) => `${path} ${shown(rate)}`),
  );
  return say('{0}: the batch is {1} times as large. Consider {2}, or {3}', now, shown(factor), first, second);
}

/** Each learning rate by the rule for the optimizer; empty if the batch stays. */
export function scaledRates(before: RunSpec, after: RunSpec): readonly ScaledRate[] {
  const factor = batchFactor(before, after);
  if (factor === null) return [];
  const by = isLinear(before) ? factor : Math.sqrt(factor);
  return ratesLeft(before, after).map(({ path, rate }) => ({ path, was: rate, is: rate * by }));
}

/** Growth factor of the effective batch size; null if it stays or is unknown. */
function batchFactor(before: RunSpec, after: RunSpec): number | null {
  const [was, is] = [batchOf(before), batchOf(after)];
  return was === null || is === null || was === is ? null : is / was;
}

/** Learning rates that did not change with the batch. */
function ratesLeft(before: RunSpec, after: RunSpec): readonly { path: string; rate: number }[] {
  const then = new Map(learningRatesOf(after).map(({ path, value }) => [path, rateOf(value)]));
  return learningRatesOf(before).flatMap(({ path, value }) => {
    const rate = rateOf(value);
    return rate !== null && then.get(path) === rate ? [{ path, rate }] : [];
  });
}

const batchOf = (run: RunSpec): number | null => run.quantities.effectiveBatch.value ?? perDevice(run);

/** Three significant digits. */
export const shown = (value: number): string => String(Number(value.toPrecision(3)));
