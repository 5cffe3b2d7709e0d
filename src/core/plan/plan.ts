import type { DeviceEstimate } from '../memory/estimate';
import type { PricedRemedy } from './remedy';

/** What the user wants of a plan. */
export type Goal =
  /** The least change that fits. */
  | 'fit'
  /** Use the memory that is there: fewer, larger steps, nothing computed twice. */
  | 'fill';

export interface PlanOptions {
  readonly goal: Goal;
  /** Share of usable memory the expected need may take, 0–1. The training-memory guide's default is 0.85. */
  readonly margin: number;
  /** May a plan change the mathematics (8-bit states, 4-bit base, shorter sequences)? */
  readonly mayTrade: boolean;
}

export const DEFAULT_MARGIN = 0.85;

/** A set of remedies that reaches the goal, proven by the estimate after it. */
export interface Plan extends PricedRemedy {
  readonly before: DeviceEstimate | null;
  readonly after: DeviceEstimate;
  /** The proof, a line each: the batch, the memory by term. */
  readonly arithmetic: readonly string[];
}

export interface PlanSearch {
  /** Best first. */
  readonly plans: readonly Plan[];
  readonly tried: number;
  /** Why remedies are not among the plans: the files refuse the edit, it is not enough … */
  readonly rejected: readonly { readonly remedy: string; readonly why: string }[];
}
