import type { Price } from '../rules/remedy';
import type { Change } from '../spec/change';
import type { Target } from '../hardware/gpu';
import type { DataLengths } from '../learn/dataLengths';
import type { Lessons } from '../learn/learned';
import type { Estimate } from '../memory/estimate';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import type { Say, Template } from '../text/say';

/** Constraint on micro-batch sizes: powers of two, or multiples of a number. */
export type BatchRule = 'power-of-two' | number;

/** Samples per GPU and optimizer step; both ends are inclusive. */
export interface SampleRange {
  readonly least: number;
  readonly most: number;
}

/** The input of a remedy. */
export interface RemedyContext {
  /** Says prices and effects in the reader's language. */
  readonly say: Say;
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** The run as it is, if plans start from the same run on fewer GPUs; absent: this run. */
  readonly since?: { readonly run: RunSpec; readonly target: Target | null };
  /** Required samples per GPU and optimizer step; null: the current product. */
  readonly samplesPerGpu: SampleRange | null;
  readonly batchRule?: BatchRule;
  /** Other runs of the same config, most memory first; a change must also suit them. */
  readonly others?: readonly RemedyContext[];
  /** Other sizes of the model's series, by name; absent: not looked up. */
  readonly alternatives?: ReadonlyMap<string, ModelFacts>;
  /** Measurements for the config; they also adjust the estimates of changed runs. */
  readonly lessons?: Lessons | undefined;
  /** Lengths of the run's data; absent: not counted. */
  readonly data?: DataLengths | null;
  /** Shared between estimates; absent: each is computed separately. */
  readonly memory?: MemorySession | undefined;
}

/** One option of a remedy: changes that belong together, and their price. */
export interface RemedyOption {
  readonly changes: readonly Change[];
  readonly price: Price;
  /** Gain toward the goal (longer sequences, larger adapters), as a factor; absent: 1. */
  readonly gain?: number;
  /**
   * Only if the option does nothing but scale amounts that take memory (rows, tokens, kept activations): each
   * amount relative to the current one, with the same number of entries for every option of a remedy. If no size of
   * one option is smaller than the other's, it needs no less memory with any other changes, except for optimizer
   * states.
   */
  readonly sizes?: readonly number[];
}

/** A kind of remedy; one file each in plan/remedies. */
export interface Remedy {
  readonly id: string;
  /** `gradient checkpointing`: completes "turn on …", "change the …". */
  readonly label: Template;
  /** It changes the task itself (shorter samples, smaller images): only for making a run fit. */
  readonly changesTask?: true;
  /** It sets the samples per GPU and step: required if a different number is requested. */
  readonly setsBatch?: true;
  /** Its optimizer memory is not monotonic in size (states of small tensors are neither paged nor in 8 bits). */
  readonly changesStates?: true;
  /** The speed model does not count what it costs or saves: its plans have the price of the table only. */
  readonly outsideSpeedModel?: true;
  /** Sources of its price. */
  readonly sources: readonly string[];
  /** Options that use less memory, mildest first; empty if it does not apply. */
  less(context: RemedyContext): readonly RemedyOption[];
  /** Options that use spare memory for speed, mildest first. */
  more?(context: RemedyContext): readonly RemedyOption[];
  /** Options that use spare memory for this goal, mildest first; each has a gain. */
  readonly towards?: {
    readonly goal: 'longest' | 'largest';
    options(context: RemedyContext): readonly RemedyOption[];
  };
}
