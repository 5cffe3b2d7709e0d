import type { Target } from '../hardware/gpu';
import type { Lessons } from '../learn/learned';
import type { Estimate } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../spec/values';
import type { TextEdit } from '../yaml/textEdit';
import type { ScalarValue } from '../yaml/node';

/** A change to a run: a quantity or a detail in canonical words, or one key in the config's own. */
export type Change =
  | { [Name in QuantityName]: { readonly quantity: Name; readonly to: QuantityValues[Name] } }[QuantityName]
  | { [Name in DetailName]: { readonly detail: Name; readonly to: DetailValues[Name] } }[DetailName]
  | { readonly key: string; readonly to: ScalarValue };

/**
 * One key that a remedy sets, or a new section with several, which nobody can have one by one. `from` is null when the key
 * was not there.
 */
export interface KeyEdit {
  readonly file: string;
  readonly path: string;
  readonly from: string | null;
  readonly to: string;
  readonly edit: TextEdit;
  /** Paths of all that it sets, where that is more than `path`. */
  readonly keys?: readonly string[];
}

/** What a remedy costs besides memory. */
export interface Price {
  /**
   * Time of the same work against today's, as a factor: 1.33 is a third slower. Order of magnitude; 1 where the work
   * itself changes (shorter samples are not faster training).
   */
  readonly time: number;
  /** `slower by about a third: every layer's forward runs twice`; null when it costs no time. */
  readonly speed: string | null;
  /** `8-bit optimizer states: the loss curve matches in practice`; null when the mathematics stays the same. */
  readonly quality: string | null;
  /**
   * How much of the result that is, where there is such a sentence; absent: 1. 1: published comparisons find no
   * difference to speak of, or only the longest request gets shorter; 2 and 3: a small difference; 3 for each halving of
   * what adapters can learn; 4 for each halving of the task itself; 8: another kind of training.
   */
  readonly trade?: number;
}

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
  /** Other sizes of the model's series, by name: absent where nobody looked them up. */
  readonly alternatives?: ReadonlyMap<string, ModelFacts>;
  /** What was measured around the config: what it may become is estimated with it, too. */
  readonly lessons?: Lessons | undefined;
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

/** A remedy ready to be shown and applied. */
export interface PricedRemedy {
  readonly id: string;
  /** What changes, on which key: `micro_batch_size 4 → 2, gradient_accumulation_steps 4 → 8`. */
  readonly title: string;
  /** Effect and price in one line: `−6.1 GB, effective batch 64 unchanged, slower by the extra launches`. */
  readonly effect: string;
  /** Change of the device's expected bytes; null when it cannot be estimated. */
  readonly savedBytes: number | null;
  readonly price: Price;
  readonly changes: readonly Change[];
  readonly edits: readonly KeyEdit[];
}
