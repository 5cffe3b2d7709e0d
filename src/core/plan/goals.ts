import type { Goal } from './plan';

/** The label of a goal, and its message if there is no plan. */
export interface GoalWords {
  readonly goal: Goal;
  /** A short imperative: `make it fit`. */
  readonly label: string;
  readonly detail: string;
  /** If there is no plan: a sentence without a full stop. */
  readonly none: string;
  /** If no key controls what the goal enlarges; absent: `none`. */
  readonly unsized?: string;
}

export const GOALS: readonly GoalWords[] = [
  {
    goal: 'fit',
    label: 'make it fit',
    detail: 'smallest change that fits, with the same effective batch size',
    none: 'No plan makes it fit',
  },
  {
    goal: 'fill',
    label: 'use all the memory',
    detail: 'larger micro-batch, no recomputation',
    none: 'No plan uses more of the memory',
  },
  {
    goal: 'fastest',
    label: 'fastest',
    detail: 'may change results slightly',
    none: 'Nothing makes it faster in this memory',
  },
  {
    goal: 'cheapest',
    label: 'cheapest',
    detail: 'lowest cost of the run, on these GPUs or fewer; may change results slightly',
    none: 'Nothing makes the run cheaper',
  },
  {
    goal: 'longest',
    label: 'the longest sequences',
    detail: 'as many tokens per sample as fit',
    none: 'No longer sequences fit',
    unsized: 'No key of the config sets a length that a plan can raise',
  },
  {
    goal: 'largest',
    label: 'the largest model or adapters',
    detail: 'highest rank that fits; more layers or a wider model if the config defines it',
    none: 'Nothing larger fits',
    unsized: 'No key of the config sets a size of model or adapters that a plan can raise',
  },
  {
    goal: 'fewest',
    label: 'the fewest GPUs',
    detail: 'same effective batch size on fewer GPUs',
    none: 'It does not fit on fewer GPUs',
  },
  {
    goal: 'steps',
    label: 'larger step by step',
    detail: 'first the batch, then layers, width or adapter rank, then the backbone',
    none: 'No larger batch or model fits, or no key of the config sets them',
  },
];

export const goalWords = (goal: Goal): GoalWords => {
  const words = GOALS.find(one => one.goal === goal);
  if (!words) throw new RangeError(`Unknown goal ${goal}.`);
  return words;
};
