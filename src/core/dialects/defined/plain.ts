import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';

/** What a dialect's file has at a place, taken as what is wanted there: what is none of it is nothing. */
export type Table = Readonly<Record<string, Plain>>;

export const isTable = (value: Plain | undefined): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const tableOf = (value: Plain | undefined): Table => (isTable(value) ? value : {});

export const listOf = (value: Plain | undefined): readonly Plain[] =>
  Array.isArray(value) ? (value as readonly Plain[]) : [];

/** One of something, or a list of them. */
export const severalOf = (value: Plain | undefined): readonly Plain[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Plain[]) : [value];

export const numberOf = (value: Plain | undefined): number | null =>
  typeof value === 'number' ? value : null;

export function scalarOf(value: Plain | undefined): ScalarValue {
  return value === undefined || typeof value === 'object' ? null : value;
}

export function textOf(value: Plain | undefined): string | null {
  const scalar = scalarOf(value);
  return scalar === null ? null : String(scalar);
}

export const textsOf = (value: Plain | undefined): readonly string[] =>
  severalOf(value).flatMap(one => textOf(one) ?? []);

/** A field where it is said; nothing otherwise. */
export const stated = <Name extends string, T>(name: Name, value: T | null): Partial<Record<Name, T>> => {
  const said: Partial<Record<string, T>> = value === null ? {} : { [name]: value };
  return said;
};

/** The values of a table, each as what is wanted there. */
export const mapped = <T>(value: Plain | undefined, as: (one: Plain) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(tableOf(value)).map(([key, one]) => [key, as(one)]));
