import type { DeviceEstimate } from '../memory/estimate';
import type { MapProposal } from './deviceMap/proposal';
import type { KeyEdit } from '../yaml/keyEdit';
import type { BatchRule } from './remedy';
import type { PricedRemedy } from '../rules/remedy';

/** What the user wants of a plan. */
export type Goal =
  /** The least change that fits. */
  | 'fit'
  /** Use the memory that is there: fewer, larger steps, nothing computed twice. */
  | 'fill'
  /** Like `fill`, and what trades mathematics for speed, too. */
  | 'fastest'
  /** The longest sequences that fit. */
  | 'longest'
  /** The largest adapters that fit, or the largest model where the config builds one. */
  | 'largest'
  /** The fewest GPUs that it fits on. */
  | 'fewest'
  /** What spare memory is good for, one step after the other: a larger batch, a larger model, a larger backbone. */
  | 'steps';

export interface PlanOptions {
  readonly goal: Goal;
  /** Share of usable memory the expected need may take, 0–1. The training-memory guide's default is 0.85. */
  readonly margin: number;
  /** May a plan change the mathematics (8-bit states, 4-bit base, shorter sequences)? */
  readonly mayTrade: boolean;
  /** Keys (`training.max_length`, or the last part of one) that have to stay as they are. */
  readonly keep?: readonly string[];
  /** Which micro batches are wanted; absent: any. */
  readonly batchRule?: BatchRule;
}

export const DEFAULT_MARGIN = 0.85;

/** Something in addition to the files that helps: a variable of the environment, the line that starts the run. */
export interface Advice {
  /** `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, a command, or lines of YAML or Python: to be copied as it is. */
  readonly text: string;
  /** What it does: a sentence without a full stop. */
  readonly why: string;
}

/** A set of remedies that reaches the goal, proven by the estimate after it. */
export interface Plan extends PricedRemedy {
  readonly before: DeviceEstimate | null;
  readonly after: DeviceEstimate;
  /** The proof, a line each: the batch, the memory by term. */
  readonly arithmetic: readonly string[];
  /** Why it stands where it does among the plans: a sentence without a full stop. */
  readonly reason: string;
  /** GPUs it is for, where it wants other ones than the target has. */
  readonly gpus: number | null;
  /** Where plans are steps: the last step of this one, which has all steps before it in it. */
  readonly step?: PlanStep;
}

/** One step on the way to a full GPU. */
export interface PlanStep {
  readonly kind: StepKind;
  /** Keys that this step changes. */
  readonly edits: readonly KeyEdit[];
  /** Share of the GPU's memory that is used after it, 0–1; null: not known. */
  readonly share: number | null;
  /** Learning rates before and after, by the rule for the optimizer; empty: they stay, or no key has them. */
  readonly rates: readonly ScaledRate[];
}

/** What a step enlarges. */
export type StepKind = 'batch' | 'capacity' | 'backbone';

/** A learning rate in the files, and what it becomes with the batch. */
export interface ScaledRate {
  readonly path: string;
  readonly was: number;
  readonly is: number;
}

/** GPUs that a run would fit on. */
export interface FittingGpu {
  /** As the catalog calls the type. */
  readonly gpu: string;
  readonly gpus: number;
  /** What each of them would hold, and has. */
  readonly needBytes: number;
  readonly capacityBytes: number | null;
  /** With nothing changed but the number of GPUs; else with all that is offered at once. */
  readonly asItIs: boolean;
  /** What all of them were offered for; null: no price is known. */
  readonly usdPerHour: number | null;
}

export interface PlanSearch {
  /** Best first. */
  readonly plans: readonly Plan[];
  /** Combinations that were looked at. */
  readonly tried: number;
  /** Why remedies are not among the plans: the files refuse the edit, it is not enough … */
  readonly rejected: readonly { readonly remedy: string; readonly why: string }[];
  readonly advice: readonly Advice[];
  /** Where a model that is only loaded should lie; absent: nothing is loaded so, or no one can say. */
  readonly deviceMap?: MapProposal;
  /** Where nothing makes it fit: what it needs with all that is offered at once. */
  readonly least?: DeviceEstimate;
  /** Where nothing makes it fit: other GPUs that would take it. */
  readonly fittingGpus?: readonly FittingGpu[];
  /** No key of the config sets what the goal wants more of. */
  readonly isUnsized?: true;
  /** The run is what the goal asks for, without any plan. */
  readonly reached?: true;
}

export const NO_PLANS: PlanSearch = { plans: [], tried: 0, rejected: [], advice: [] };
