import type { ProofLine } from './arithmetic';
import type { DeviceEstimate } from '../memory/estimate';
import type { ScaledRate } from './learningRate';
import type { MapProposal } from './deviceMap/proposal';
import type { KeyEdit } from '../yaml/keyEdit';
import type { BatchRule } from './remedy';
import type { PricedRemedy } from '../rules/remedy';
import type { Speed } from '../speed/speed';

/** The goal of a plan. */
export type Goal =
  /** The mildest change that fits. */
  | 'fit'
  /** Use the available memory: fewer, larger steps, no recomputation. */
  | 'fill'
  /** Like `fill`, plus changes that trade mathematics for speed. */
  | 'fastest'
  /** The longest sequences that fit. */
  | 'longest'
  /** The largest adapters that fit, or the largest model if the config builds one. */
  | 'largest'
  /** The lowest cost of the run, on all GPUs or fewer. */
  | 'cheapest'
  /** The smallest number of GPUs that it fits on. */
  | 'fewest'
  /** Use spare memory in steps: a larger batch, a larger model, a larger backbone. */
  | 'steps';

export interface PlanOptions {
  readonly goal: Goal;
  /** Share of usable memory that the expected need may take, 0–1. The training-memory guide's default is 0.85. */
  readonly margin: number;
  /** Plans may change the mathematics (8-bit states, 4-bit base, shorter sequences). */
  readonly mayTrade: boolean;
  /** Keys (`training.max_length`, or its last part) that must not change. */
  readonly keep?: readonly string[];
  /** Constraint on micro-batch sizes; absent: none. */
  readonly batchRule?: BatchRule;
}

export const DEFAULT_MARGIN = 0.85;

/** Advice in addition to the files: an environment variable, the command that starts the run. */
export interface Advice {
  /**
   * `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, a command, or lines of YAML or Python; can be copied
   * verbatim.
   */
  readonly text: string;
  /** The effect: a sentence without a full stop. */
  readonly why: string;
}

/** What a plan does to the time of a training, by the speed model: both runs are computed, so that its errors cancel. */
export interface PlanTime {
  readonly was: Speed;
  readonly is: Speed;
  /** A step differs in what it processes, or only the data tell how long rows are: the hours do not compare. */
  readonly isRatioOnly: boolean;
}

/** A set of remedies that reaches the goal, proven by an estimate. */
export interface Plan extends PricedRemedy {
  readonly before: DeviceEstimate | null;
  readonly after: DeviceEstimate;
  /** The proof in lines: the batch, the memory by term. */
  readonly arithmetic: readonly ProofLine[];
  /** Why it has this rank among the plans: a sentence without a full stop. */
  readonly reason: string;
  /** Absent: the time before or after it is unknown. */
  readonly time?: PlanTime;
  /** The plan's number of GPUs if it differs from the target's. */
  readonly gpus: number | null;
  /** If plans are steps: the last step of this one; it includes all steps before. */
  readonly step?: PlanStep;
}

/** One step toward a full GPU. */
export interface PlanStep {
  readonly kind: StepKind;
  /** Keys that this step changes. */
  readonly edits: readonly KeyEdit[];
  /** Share of the GPU's memory in use after it, 0–1; null: unknown. */
  readonly share: number | null;
  /** Learning rates before and after, by the rule for the optimizer; empty: unchanged, or no key has them. */
  readonly rates: readonly ScaledRate[];
}

/** What a step enlarges. */
export type StepKind = 'batch' | 'capacity' | 'backbone';

/** GPUs that a run would fit on. */
export interface FittingGpu {
  /** The type's name in the catalog. */
  readonly gpu: string;
  readonly gpus: number;
  /** Need and capacity of each GPU. */
  readonly needBytes: number;
  readonly capacityBytes: number | null;
  /** Only the number of GPUs changes; false: with all available changes. */
  readonly asItIs: boolean;
  /** The price of all of them; null: unknown. */
  readonly usdPerHour: number | null;
}

export interface PlanSearch {
  /** Best first. */
  readonly plans: readonly Plan[];
  /** Number of combinations that were tried. */
  readonly tried: number;
  /** Why remedies are not in any plan: the files refuse the edit, it is not enough … */
  readonly rejected: readonly { readonly remedy: string; readonly why: string }[];
  readonly advice: readonly Advice[];
  /** Where to load a model for inference; absent: not loaded that way, or unknown. */
  readonly deviceMap?: MapProposal;
  /** If nothing makes it fit: the need with all available changes. */
  readonly least?: DeviceEstimate;
  /** If nothing makes it fit: other GPUs that would take it. */
  readonly fittingGpus?: readonly FittingGpu[];
  /** No key of the config sets what the goal enlarges. */
  readonly isUnsized?: true;
  /** The estimate rests on guesses, so that no plan is known to reach a goal. */
  readonly isGuessed?: true;
  /** The run already meets the goal. */
  readonly reached?: true;
}

export const NO_PLANS: PlanSearch = { plans: [], tried: 0, rejected: [], advice: [] };
