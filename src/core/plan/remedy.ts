import type { QuantityName, QuantityValues } from '../spec/values';
import type { ScalarValue } from '../yaml/node';
import type { TextEdit } from '../yaml/edit';

/** A change to a run: a quantity in canonical words, or one key in the config's own. */
export type Change =
  | { [Name in QuantityName]: { readonly quantity: Name; readonly to: QuantityValues[Name] } }[QuantityName]
  | { readonly key: string; readonly to: ScalarValue };

/** One key that a remedy sets. `from` is null when the key was not there. */
export interface KeyEdit {
  readonly file: string;
  readonly path: string;
  readonly from: string | null;
  readonly to: string;
  readonly edit: TextEdit;
}

/** What a remedy costs besides memory. */
export interface Price {
  /** `slower by about a third: every layer's forward runs twice`; null when it costs no time. */
  readonly speed: string | null;
  /** `8-bit optimizer states: loss curves match in practice`; null when the mathematics stays the same. */
  readonly quality: string | null;
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
  readonly edits: readonly KeyEdit[];
}
