import type { Goal, Plan } from './plan';
import { timeRatio } from './planTime';

/**
 * Adds a sentence to each plan: what the first is best in, and what every other one is better in than those before
 * it.
 */
export function reasons(plans: readonly Plan[], goal: Goal): readonly Plan[] {
  return plans.map((plan, i) => ({ ...plan, reason: reasonOf(plan, plans.slice(0, i), goal) }));
}

function reasonOf(plan: Plan, before: readonly Plan[], goal: Goal): string {
  const [first] = before;
  const isOther = TRAINS_OTHERWISE.has(goal) || changesResult(plan);
  const quality = isOther ? 'it changes the result' : 'the result stays the same';
  if (!first) return `${BEST[goal]}; ${quality}${isTight(plan) ? '; it only just fits' : ''}`;
  const advantages = [
    ...(before.every(other => timeOver(plan, other) < 1 - NOTICEABLE) ? [faster(plan, first)] : []),
    ...(before.every(other => plan.edits.length < other.edits.length)
      ? [plan.edits.length === 1 ? 'changes one key only' : 'changes fewer keys']
      : []),
    ...(before.every(other => need(plan) < need(other)) ? ['leaves more memory free'] : []),
  ];
  const better = advantages.length > 0 ? advantages.join(' and ') : 'another way';
  return `${better}; ${quality}${isTight(plan) ? '; it only just fits' : ''}`;
}

/** Goals that make the samples longer or the model larger. */
const TRAINS_OTHERWISE: ReadonlySet<Goal> = new Set<Goal>(['longest', 'largest']);

const isTight = ({ after }: Plan): boolean => after.verdict === 'tight';

/** A step over other samples also counts. */
const changesResult = ({ price, effect }: Plan): boolean =>
  price.quality !== null || /effective batch \d+ → /.test(effect);

/** Computed times differ in the last digits. */
const NOTICEABLE = 0.005;

/** Time for the same samples with one plan over that with another: computed for both, else by their prices. */
const timeOver = (one: Plan, other: Plan): number =>
  one.time && other.time ? timeRatio(one.time) / timeRatio(other.time) : one.price.time / other.price.time;

/** How much faster than the first plan, in words. */
function faster(plan: Plan, first: Plan): string {
  const share = Math.round((1 - timeOver(plan, first)) * 100);
  return share >= 5 ? `about ${share} % faster than the first` : 'slightly faster than the first';
}

const need = (plan: Plan): number => plan.after.device.expected;

const BEST: Readonly<Record<Goal, string>> = {
  fit: 'lowest cost that fits',
  fill: 'fastest use of all the memory',
  fastest: 'fastest that fits',
  cheapest: 'cheapest that fits',
  longest: 'longest sequences that fit',
  largest: 'largest that fits',
  fewest: 'fewest GPUs it fits on',
  steps: 'first step',
};
