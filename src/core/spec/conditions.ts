import type { ScalarValue } from '../yaml/node';
import type { QuantityName, QuantityValues } from './values';

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** Conditions of a fact; all must hold. Keys are as the config writes them; an unknown value does not hold. */
export interface Conditions {
  readonly on?: readonly string[];
  readonly anyOn?: readonly string[];
  readonly off?: readonly string[];
  readonly stated?: readonly string[];
  readonly absent?: readonly string[];
  /** Keys that hold one of these texts. */
  readonly is?: Readonly<Record<string, readonly string[]>>;
  /** Keys that hold none of these texts. */
  readonly isNot?: Readonly<Record<string, readonly string[]>>;
  /** Keys that hold a number above this one. */
  readonly above?: Readonly<Record<string, number>>;
  /** Keys that hold a number below this one. */
  readonly below?: Readonly<Record<string, number>>;
  /** Pairs of keys that hold different numbers. */
  readonly differ?: readonly (readonly [one: string, other: string])[];
  /** Pairs of keys in which the first holds a number that is not a multiple of the second’s. */
  readonly notMultiple?: readonly (readonly [number: string, of: string])[];
  /** Quantities with this known value. */
  readonly equals?: { readonly [Name in QuantityName]?: QuantityValues[Name] & ScalarValue };
  /** Affected releases, by framework or library: the first one, and the first one that is no longer affected. */
  readonly since?: Readonly<Record<string, string>>;
  readonly before?: Readonly<Record<string, string>>;
}
