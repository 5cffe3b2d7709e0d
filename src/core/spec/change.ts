import type { ScalarValue } from '../yaml/node';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from './values';

/** A change to a run: a canonical quantity or detail, or one key of the config. */
export type Change =
  | { [Name in QuantityName]: { readonly quantity: Name; readonly to: QuantityValues[Name] } }[QuantityName]
  | { [Name in DetailName]: { readonly detail: Name; readonly to: DetailValues[Name] } }[DetailName]
  | { readonly key: string; readonly to: ScalarValue };
