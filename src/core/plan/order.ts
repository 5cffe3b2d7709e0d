import type { Goal, Plan } from './plan';
import { tradeOf } from './slots';

/** Goals in which plans differ in more than what they cost: how much longer or larger. */
const BY_GAIN: ReadonlySet<Goal> = new Set<Goal>(['longest', 'largest']);

/** Plans in the same order, but of those that do the same to the training the ones that only just fit come last. */
export function fitsFirst<T extends { readonly plan: Plan }>(found: readonly T[], goal: Goal): readonly T[] {
  if (BY_GAIN.has(goal)) return found;
  const queues = new Map<string, T[]>();
  for (const one of found.toSorted((a, b) => tightness(a.plan) - tightness(b.plan))) {
    const training = trainingOf(one.plan);
    queues.set(training, [...(queues.get(training) ?? []), one]);
  }
  return found.flatMap(({ plan }) => queues.get(trainingOf(plan))?.shift() ?? []);
}

const tightness = ({ after }: Plan): number => (after.verdict === 'fits' ? 0 : 1);

/** Two plans do the same to the training. */
export const isAlikeInTraining = (a: Plan, b: Plan): boolean => trainingOf(a) === trainingOf(b);

/** What a plan does to the training: what of the result it gives up, and the effective batch. */
const trainingOf = ({ price, effect }: Plan): string =>
  `${tradeOf(price)} ${/effective batch \d+ → \d+/.exec(effect)?.[0] ?? ''}`;
