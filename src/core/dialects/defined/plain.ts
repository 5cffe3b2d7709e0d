import { filePattern } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';
import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';

/** `/^cuda:\d+$/`, or `/vit/i` ignoring case; null for plain words. */
export function patternOf(words: string): Pattern | null {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(words) ?? [];
  return source === undefined ? null : filePattern(source, flags);
}

/** True if a value matches the file's words: as text, or by a regular expression. */
export const isMeant = (words: string, text: string): boolean =>
  patternOf(words)?.test(text) ?? words === text;

/** Reads values of a dialect file as the expected types; other values are ignored. */
export type Table = Readonly<Record<string, Plain>>;

export const isTable = (value: Plain | undefined): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const tableOf = (value: Plain | undefined): Table => (isTable(value) ? value : {});

export const listOf = (value: Plain | undefined): readonly Plain[] =>
  Array.isArray(value) ? (value as readonly Plain[]) : [];

/** One value or a list, as a list. */
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

/** Keys as paths: `{train,training}.{batch_size,bs}` are four, `{,train.}seed` two. */
export const pathsOf = (value: Plain | undefined): readonly string[] => textsOf(value).flatMap(alternatives);

/** Expands braces as in a shell. A regular expression after `~` may contain braces. */
function alternatives(path: string): readonly string[] {
  const [, before = '', listed, after = ''] = /^([^{}~]*)\{([^{}~,]*,[^{}~]*)\}(.*)$/s.exec(path) ?? [];
  if (listed === undefined) return [path];
  const rest = alternatives(after);
  return listed.split(',').flatMap(one => rest.map(end => before + one + end));
}

/** A field if it has a value; otherwise an empty object. */
export const stated = <Name extends string, T>(name: Name, value: T | null): Partial<Record<Name, T>> => {
  const entry: Partial<Record<string, T>> = value === null ? {} : { [name]: value };
  return entry;
};

/** Converts each value of a table. */
export const mapped = <T>(value: Plain | undefined, as: (one: Plain) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(tableOf(value)).map(([key, one]) => [key, as(one)]));

/** A value without the values at some paths below it; list items become empty. */
export function withoutPaths(value: Plain, paths: readonly (readonly string[])[]): Plain {
  if (paths.length === 0) return value;
  const below = new Map<string, (readonly string[])[]>();
  for (const [first = '', ...rest] of paths) below.set(first, [...(below.get(first) ?? []), rest]);
  const isRemoved = (step: string): boolean => below.get(step)?.some(rest => rest.length === 0) === true;
  const left = (one: Plain, step: string): Plain => withoutPaths(one, below.get(step) ?? []);
  if (Array.isArray(value)) {
    return listOf(value).map((one, i) => (isRemoved(String(i)) ? null : left(one, String(i))));
  }
  if (!isTable(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isRemoved(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, left(one, key)]));
}
