import type { Goal } from './plan';

/** How a goal is offered, and said to be out of reach. */
export interface GoalWords {
  readonly goal: Goal;
  /** As a person would put it: `make it fit`. */
  readonly label: string;
  readonly detail: string;
  /** Without any plan: a sentence without a full stop. */
  readonly none: string;
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
    detail: 'larger micro-batch, no recomputation; same result',
    none: 'Using more memory gains nothing',
  },
  {
    goal: 'fastest',
    label: 'fastest',
    detail: 'may change results slightly',
    none: 'Nothing makes it faster in this memory',
  },
  {
    goal: 'longest',
    label: 'the longest sequences',
    detail: 'as many tokens per sample as fit',
    none: 'No longer sequences fit',
  },
  {
    goal: 'largest',
    label: 'the largest model or adapters',
    detail: 'highest rank that fits; more layers or a wider model if the config defines it',
    none: 'Nothing larger fits, or the config sets no such size',
  },
  {
    goal: 'fewest',
    label: 'the fewest GPUs',
    detail: 'same effective batch size on fewer GPUs',
    none: 'It does not fit on fewer GPUs',
  },
];

export const goalWords = (goal: Goal): GoalWords => {
  const words = GOALS.find(one => one.goal === goal);
  if (!words) throw new RangeError(`Unknown goal ${goal}.`);
  return words;
};
