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
    detail: 'the least change that fits, the effective batch kept',
    none: 'No plan makes it fit',
  },
  {
    goal: 'fill',
    label: 'use the memory that is there',
    detail: 'larger micro batches, nothing computed twice; the result stays the same',
    none: 'Nothing is gained by using more memory',
  },
  {
    goal: 'fastest',
    label: 'as fast as it gets',
    detail: 'whatever saves time and fits, even where it changes the result a little',
    none: 'Nothing makes it faster within this memory',
  },
  {
    goal: 'longest',
    label: 'the longest sequences',
    detail: 'as many tokens a sample as fit',
    none: 'No longer sequences fit',
  },
  {
    goal: 'largest',
    label: 'the largest model or adapters',
    detail: 'the highest rank that fits; more layers or a wider model where the config builds it',
    none: 'Nothing larger fits, or the config says no such size',
  },
  {
    goal: 'fewest',
    label: 'the fewest GPUs',
    detail: 'the same effective batch on fewer of them',
    none: 'It does not fit on fewer GPUs',
  },
];

export const goalWords = (goal: Goal): GoalWords => {
  const words = GOALS.find(one => one.goal === goal);
  if (!words) throw new RangeError(`There is no goal ${goal}.`);
  return words;
};
