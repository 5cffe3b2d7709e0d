import type { Price } from '../rules/remedy';
import type { Change } from '../spec/change';
import type { Target } from '../hardware/gpu';
import type { Lessons } from '../learn/learned';
import type { Estimate } from '../memory/estimate';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';

/** Sizes of the micro batch that are wanted: powers of two, or multiples of a number. */
export type BatchRule = 'power-of-two' | number;

/** Samples per GPU and optimizer step: any number between the two, both included. */
export interface SampleRange {
  readonly least: number;
  readonly most: number;
}

/** What a remedy looks at to say what it could do. */
export interface RemedyContext {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** Samples per GPU and optimizer step that a plan must reach; today's product when null. */
  readonly samplesPerGpu: SampleRange | null;
  readonly batchRule?: BatchRule;
  /** Other runs of the same config, most memory first: what is changed for one has to hold for them, too. */
  readonly others?: readonly RemedyContext[];
  /** Other sizes of the model's series, by name: absent where no one looked them up. */
  readonly alternatives?: ReadonlyMap<string, ModelFacts>;
  /** What was measured around the config: what it may become is estimated with it, too. */
  readonly lessons?: Lessons | undefined;
  /** What estimates share; absent where each is made by itself. */
  readonly memory?: MemorySession | undefined;
}

/** One thing that could be done: changes that belong together, and their price. */
export interface RemedyOption {
  readonly changes: readonly Change[];
  readonly price: Price;
  /** How much more of what the goal wants (longer sequences, larger adapters), as a factor; absent: 1. */
  readonly gain?: number;
  /**
   * Where an option does no more than leave less, or more, of something that takes memory (rows, tokens, activations that
   * are kept): how much of each against today, as many numbers for every option of a remedy. Of two options the one that
   * leaves nowhere less needs no less memory, whatever is done beside, but for what the optimizer holds.
   */
  readonly sizes?: readonly number[];
}

/** A kind of remedy; one a file in plan/remedies. */
export interface Remedy {
  readonly id: string;
  /** `gradient checkpointing`: completes "turn on …", "change the …". */
  readonly label: string;
  /** What it changes is the task itself (shorter samples, smaller images): only to make a run fit, for nothing else. */
  readonly changesTask?: true;
  /** What it changes is how many samples a GPU takes for a step: where other ones are wanted, one of its options is needed. */
  readonly setsBatch?: true;
  /** What an optimizer holds with it follows no rule of sizes (states of small tensors are neither paged nor in 8 bits). */
  readonly changesStates?: true;
  /** Where its price was learnt. */
  readonly sources: readonly string[];
  /** Options that use less memory, mildest first; empty when it does not apply. */
  less(context: RemedyContext): readonly RemedyOption[];
  /** Options that use spare memory for speed, mildest first. */
  more?(context: RemedyContext): readonly RemedyOption[];
  /** Options that use spare memory for what such a goal wants, mildest first; each has a gain. */
  readonly towards?: {
    readonly goal: 'longest' | 'largest';
    options(context: RemedyContext): readonly RemedyOption[];
  };
}
