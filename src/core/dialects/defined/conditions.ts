import type { ScalarValue } from '../../yaml/node';
import { patternFrom } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { RowConditions } from './definition';
import type { Names } from './names';
import { patternOf } from './plain';

/** True if the conditions of a row hold. Evaluated in file order until one fails. */
export function holds(conditions: RowConditions, names: Names): boolean {
  return Object.entries(conditions).every(([name, expected]) =>
    (CHECKS[name as keyof RowConditions] as Check<unknown>)(expected, names),
  );
}

type Check<T> = (expected: T, names: Names) => boolean;

const CHECKS: { readonly [Name in keyof RowConditions]-?: Check<NonNullable<RowConditions[Name]>> } = {
  on: (keys, { run }) => keys.every(key => run.flag(key) === true),
  anyOn: (keys, { run }) => keys.some(key => run.flag(key) === true),
  off: (keys, { run }) => keys.every(key => run.flag(key) !== true),
  no: (keys, { run }) => keys.every(key => run.flag(key) === false),
  stated: (keys, { run }) => keys.every(key => run.has(key)),
  anyStated: (keys, { run }) => keys.some(key => run.has(key)),
  absent: (keys, { run }) => !keys.some(key => run.has(key)),
  isNull: (keys, { run }) => keys.every(key => run.isNull(key)),
  is: every((run, key, texts: readonly string[]) => texts.includes(run.word(key) ?? '')),
  isNot: every((run, key, texts: readonly string[]) => !texts.includes(run.word(key) ?? '')),
  matches: every((run, key, source: string) => pattern(source).test(run.word(key) ?? '')),
  lists: every(
    (run, key, source: string) => run.words(key)?.some(word => pattern(source).test(word)) === true,
  ),
  holds: every((run, key, values: readonly ScalarValue[]) => values.includes(run.value(key) as ScalarValue)),
  above: every((run, key, limit: number) => (run.read(key, number) ?? limit) > limit),
  below: every((run, key, limit: number) => (run.read(key, number) ?? limit) < limit),
  equals: eachValue((value, values: readonly ScalarValue[]) => values.includes(value as ScalarValue)),
  differs: eachValue((value, values: readonly ScalarValue[]) => !values.includes(value as ScalarValue)),
  like: eachValue((value, source: string) => typeof value === 'string' && pattern(source).test(value)),
  more: eachValue((value, limit: number) => typeof value === 'number' && value > limit),
  less: eachValue((value, limit: number) => typeof value === 'number' && value < limit),
  known: (valueNames, names) => valueNames.every(name => isKnown(names.value(name))),
  unknown: (valueNames, names) => valueNames.every(name => !isKnown(names.value(name))),
  since: (version, { run }) => isSince(version, run),
  before: (version, { run }) => !isSince(version, run),
  path: (source, { run }) => pattern(source).test(run.pathWords.join('/')),
  any: (all, names) => all.some(one => holds(one, names)),
  not: (one, names) => !holds(one, names),
};

function every<T>(
  check: (run: RunReader, key: string, expected: T) => boolean,
): Check<Readonly<Record<string, T>>> {
  return (table, { run }) => Object.entries(table).every(([key, expected]) => check(run, key, expected));
}

function eachValue<T>(check: (value: unknown, expected: T) => boolean): Check<Readonly<Record<string, T>>> {
  return (table, names) =>
    Object.entries(table).every(([name, expected]) => check(names.value(name), expected));
}

const isKnown = (value: unknown): boolean => value !== null && value !== undefined;

/** The release of the framework itself, or of libraries. */
const isSince = (releases: Readonly<Record<string, string>>, run: RunReader): boolean =>
  Object.entries(releases).every(([library, release]) =>
    library === 'framework' ? run.atLeast(release) : run.atLeast(release, library),
  );

const pattern = (source: string): Pattern => patternOf(source) ?? patternFrom(source);
