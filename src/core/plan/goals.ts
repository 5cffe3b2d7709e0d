import type { Goal } from './plan';
import { said, template } from '../text/say';
import type { Say, Template } from '../text/say';

/** The label of a goal, and its message if there is no plan. */
export interface GoalWords {
  readonly goal: Goal;
  /** A short imperative: `make it fit`. */
  readonly label: Template;
  readonly detail: Template;
  /** If there is no plan: a sentence without a full stop. */
  readonly none: Template;
  /** If no key controls what the goal enlarges; absent: `none`. */
  readonly unsized?: Template;
}

export const GOALS: readonly GoalWords[] = [
  {
    goal: 'fit',
    label: template('make it fit'),
    detail: template('smallest change that fits, with the same effective batch size'),
    none: template('No plan makes it fit'),
  },
  {
    goal: 'fill',
    label: template('use all the memory'),
    detail: template('larger micro-batch, no recomputation'),
    none: template('No plan uses more of the memory'),
  },
  {
    goal: 'fastest',
    label: template('fastest'),
    detail: template('may change results slightly'),
    none: template('Nothing makes it faster in this memory'),
  },
  {
    goal: 'cheapest',
    label: template('cheapest'),
    detail: template('lowest cost of the run, on these GPUs or fewer; may change results slightly'),
    none: template('Nothing makes the run cheaper'),
  },
  {
    goal: 'longest',
    label: template('the longest sequences'),
    detail: template('as many tokens per sample as fit'),
    none: template('No longer sequences fit'),
    unsized: template('No key of the config sets a length that a plan can raise'),
  },
  {
    goal: 'largest',
    label: template('the largest model or adapters'),
    detail: template('highest rank that fits; more layers or a wider model if the config defines it'),
    none: template('Nothing larger fits'),
    unsized: template('No key of the config sets a size of model or adapters that a plan can raise'),
  },
  {
    goal: 'fewest',
    label: template('the fewest GPUs'),
    detail: template('same effective batch size on fewer GPUs'),
    none: template('It does not fit on fewer GPUs'),
  },
  {
    goal: 'steps',
    label: template('larger step by step'),
    detail: template('first the batch, then layers, width or adapter rank, then the backbone'),
    none: template('No larger batch or model fits, or no key of the config sets them'),
  },
];

export const goalWords = (goal: Goal): GoalWords => {
  const words = GOALS.find(one => one.goal === goal);
  if (!words) throw new RangeError(`Unknown goal ${goal}.`);
  return words;
};

/** The same, said. */
export type SpokenGoal = Pick<GoalWords, 'goal'> & { readonly label: string; readonly detail: string };

export const spokenGoal = (say: Say, { goal, label, detail }: GoalWords): SpokenGoal => ({
  goal,
  label: said(say, label),
  detail: said(say, detail),
});
