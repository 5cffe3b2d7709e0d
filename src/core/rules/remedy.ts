import type { DeviceEstimate } from '../memory/estimate';
import type { Change } from '../spec/change';
import type { KeyEdit } from '../yaml/keyEdit';

/** The cost of a remedy in addition to memory. */
export interface Price {
  /**
   * Time for the same work relative to now: 1.33 is a third slower. An order of magnitude; 1 if the work itself
   * changes (shorter samples are not faster training).
   */
  readonly time: number;
  /** `slower by about a third: every layer's forward runs twice`; null if it costs no time. */
  readonly speed: string | null;
  /** `requires liger-kernel`; absent: nothing that is not there. */
  readonly requires?: string;
  /** `8-bit optimizer states: the loss curve matches in practice`; null if the mathematics stays the same. */
  readonly quality: string | null;
  /**
   * How much of the result `quality` gives up; absent: 1. 1: published comparisons find no significant difference,
   * or only the longest request gets shorter; 2 and 3: a small difference; 3 for each halving of adapter capacity;
   * 4 for each halving of the task itself; 8: another kind of training.
   */
  readonly trade?: number;
}

/** A remedy that can be shown and applied. */
export interface PricedRemedy {
  readonly id: string;
  /** The changed keys: `micro_batch_size 4 → 2, gradient_accumulation_steps 4 → 8`. */
  readonly title: string;
  /** Effect and price in one line: `−6.1 GB, effective batch 64 unchanged, slightly slower (more steps)`. */
  readonly effect: string;
  /** Reduction of the device's expected bytes; null if it cannot be estimated. */
  readonly savedBytes: number | null;
  /** The effective batch size becomes another one. */
  readonly changesBatch?: true;
  /** The fullest GPU after the remedy; absent or null: unknown. */
  readonly after?: DeviceEstimate | null;
  readonly price: Price;
  readonly changes: readonly Change[];
  readonly edits: readonly KeyEdit[];
}
