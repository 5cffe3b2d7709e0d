import type { Goal, Plan } from './plan';
import { tradeOf } from './slots';

/** Goals whose plans differ by more than cost: by how much longer or larger they are. */
const BY_GAIN: ReadonlySet<Goal> = new Set<Goal>(['longest', 'largest']);

/** Stable order, but among plans with the same effect on the training, tight ones come last. */
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

/** True if two plans have the same effect on the training. */
export const trainsAlike = (a: Plan, b: Plan): boolean => trainingOf(a) === trainingOf(b);

/** A plan's effect on the training: what it gives up of the result, and the effective batch size. */
const trainingOf = ({ price, effect }: Plan): string =>
  `${tradeOf(price)} ${/effective batch \d+ → \d+/.exec(effect)?.[0] ?? ''}`;
