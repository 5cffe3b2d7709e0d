import type { ScalarValue } from '../yaml/node';
import type { Location } from './quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from './values';

/** A change to a run: a canonical quantity or detail, one key of the config, or what stands at a place of its files. */
export type Change =
  | { [Name in QuantityName]: { readonly quantity: Name; readonly to: QuantityValues[Name] } }[QuantityName]
  | { [Name in DetailName]: { readonly detail: Name; readonly to: DetailValues[Name] } }[DetailName]
  | { readonly key: string; readonly to: ScalarValue }
  | { readonly stated: Location; readonly to: ScalarValue };
