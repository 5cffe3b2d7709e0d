import type { Goal, Plan } from './plan';
import { timeRatio } from './planTime';
import { said, template } from '../text/say';
import type { Say, Template } from '../text/say';

/**
 * Adds a sentence to each plan: what the first is best in, and what every other one is better in than those before
 * it.
 */
export function reasons(say: Say, plans: readonly Plan[], goal: Goal): readonly Plan[] {
  return plans.map((plan, i) => ({ ...plan, reason: reasonOf(say, plan, plans.slice(0, i), goal) }));
}

function reasonOf(say: Say, plan: Plan, before: readonly Plan[], goal: Goal): string {
  const [first] = before;
  const what = first ? advantageOf(say, plan, before, first) : said(say, BEST[goal]);
  const isOther = TRAINS_OTHERWISE.has(goal) || changesResult(plan);
  const whole = isOther
    ? say('{0}; it changes the result', what)
    : say('{0}; the result stays the same', what);
  return isTight(plan) ? say('{0}; it only just fits', whole) : whole;
}

function advantageOf(say: Say, plan: Plan, before: readonly Plan[], first: Plan): string {
  const advantages = [
    ...(before.every(other => timeOver(plan, other) < 1 - NOTICEABLE) ? [faster(say, plan, first)] : []),
    ...(before.every(other => plan.edits.length < other.edits.length)
      ? [plan.edits.length === 1 ? say('changes one key only') : say('changes fewer keys')]
      : []),
    ...(before.every(other => need(plan) < need(other)) ? [say('leaves more memory free')] : []),
  ];
  return advantages.length === 0
    ? say('another way')
    : advantages.reduce((all, one) => say('{0} and {1}', all, one));
}

/** Goals that make the samples longer or the model larger. */
const TRAINS_OTHERWISE: ReadonlySet<Goal> = new Set<Goal>(['longest', 'largest']);

const isTight = ({ after }: Plan): boolean => after.verdict === 'tight';

/** A step over other samples also counts. */
const changesResult = ({ price, changesBatch }: Plan): boolean =>
  price.quality !== null || changesBatch === true;

/** Computed times differ in the last digits. */
const NOTICEABLE = 0.005;

/** Time for the same samples with one plan over that with another: computed for both, else by their prices. */
const timeOver = (one: Plan, other: Plan): number =>
  one.time && other.time ? timeRatio(one.time) / timeRatio(other.time) : one.price.time / other.price.time;

/** How much faster than the first plan, in words. */
function faster(say: Say, plan: Plan, first: Plan): string {
  const share = Math.round((1 - timeOver(plan, first)) * 100);
  return share >= 5 ? say('about {0} % faster than the first', share) : say('slightly faster than the first');
}

const need = (plan: Plan): number => plan.after.device.expected;

const BEST: Readonly<Record<Goal, Template>> = {
  fit: template('lowest cost that fits'),
  fill: template('fastest use of all the memory'),
  fastest: template('fastest that fits'),
  cheapest: template('cheapest that fits'),
  longest: template('longest sequences that fit'),
  largest: template('largest that fits'),
  fewest: template('fewest GPUs it fits on'),
  steps: template('first step'),
};
