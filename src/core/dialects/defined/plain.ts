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

/** Keys, as paths: `{train,training}.{batch_size,bs}` are four of them, `{,train.}seed` two. */
export const pathsOf = (value: Plain | undefined): readonly string[] => textsOf(value).flatMap(alternatives);

/** What braces stand for, as in a shell. A regular expression behind `~` has braces of its own. */
function alternatives(path: string): readonly string[] {
  const [, before = '', listed, after = ''] = /^([^{}~]*)\{([^{}~]*,[^{}~]*)\}(.*)$/s.exec(path) ?? [];
  if (listed === undefined) return [path];
  const rest = alternatives(after);
  return listed.split(',').flatMap(one => rest.map(end => before + one + end));
}

/** A field where it is said; nothing otherwise. */
export const stated = <Name extends string, T>(name: Name, value: T | null): Partial<Record<Name, T>> => {
  const said: Partial<Record<string, T>> = value === null ? {} : { [name]: value };
  return said;
};

/** The values of a table, each as what is wanted there. */
export const mapped = <T>(value: Plain | undefined, as: (one: Plain) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(tableOf(value)).map(([key, one]) => [key, as(one)]));

/** A value without what stands at some paths below it; a place in a list becomes empty. */
export function without(value: Plain, paths: readonly (readonly string[])[]): Plain {
  if (paths.length === 0) return value;
  const below = new Map<string, (readonly string[])[]>();
  for (const [first = '', ...rest] of paths) below.set(first, [...(below.get(first) ?? []), rest]);
  const isGone = (step: string): boolean => below.get(step)?.some(rest => rest.length === 0) === true;
  const left = (one: Plain, step: string): Plain => without(one, below.get(step) ?? []);
  if (Array.isArray(value)) {
    return listOf(value).map((one, i) => (isGone(String(i)) ? null : left(one, String(i))));
  }
  if (!isTable(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isGone(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, left(one, key)]));
}
