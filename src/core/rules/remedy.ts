import type { DeviceEstimate } from '../memory/estimate';
import type { Change } from '../spec/change';
import type { KeyEdit } from '../yaml/keyEdit';

/** What a remedy costs in addition to memory. */
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

/** A remedy ready to be shown and applied. */
export interface PricedRemedy {
  readonly id: string;
  /** What changes, on which key: `micro_batch_size 4 → 2, gradient_accumulation_steps 4 → 8`. */
  readonly title: string;
  /** Effect and price in one line: `−6.1 GB, effective batch 64 unchanged, slightly slower (more steps)`. */
  readonly effect: string;
  /** Change of the device's expected bytes; null when it cannot be estimated. */
  readonly savedBytes: number | null;
  /** The fullest GPU with it; absent or null: not known. */
  readonly after?: DeviceEstimate | null;
  readonly price: Price;
  readonly changes: readonly Change[];
  readonly edits: readonly KeyEdit[];
}
