import { isDetailName, isQuantityName } from '../../spec/names';
import type { Quantity } from '../../spec/quantity';
import type { QuantityName } from '../../spec/values';
import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';
import { isPerDevice, shareOfGlobal } from '../engine/common';
import { oneOf } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { valueText } from '../shared/words';
import { ownOf } from '../../yaml/tables';
import { canBe } from './canBe';
import { holds } from './conditions';
import { emptyRow } from './definition';
import type { DefinedRow, Spec } from './definition';
import { filled, namesIn, reckoned, soleName } from './names';
import type { Names } from './names';
import { isMeant } from './plain';
import { rowNamed } from './rows';
import type { RowKind } from './words';
import { sharedRules } from './sharedRules';
import { settingsOf, settled } from './settings';
import { readers } from './words';

/** The value from a row or a list of rows; null if none has one. */
export type Answer = (names: Names) => Quantity<unknown> | null;

/** The answer of a row and its alternatives. */
export function answersOf(name: string, row: Partial<DefinedRow>, kind?: RowKind): Answer {
  const all = [row, ...(row.orElse ?? [])];
  // If a value derived from another quantity is unknown, the next row is tried.
  const rows = all.map((one, i) => answerOf(name, { ...emptyRow, ...one, orElse: all.slice(i + 1) }, kind));
  // Keys of a row without conditions say it wherever they are: a default of a later row is no answer to their null.
  const keys = all.flatMap(({ when, keys: own = [] }) => (when ? [] : own));
  const asked = all.flatMap(one => one.keys ?? []);
  return names => {
    for (const answer of rows) {
      const found = answer(names);
      if (found)
      // Details are about how a program works: null is most often the very default they speak of.
      {
        return found.origin.kind === 'default' && !isDetailName(name)
          ? (names.run.leftOpen(asked) ?? unlessEmpty(found, keys, names.run))
          : found;
      }
    }
    return null;
  };
}

/** A key that is there and empty has the default's place: what the program does then is its own matter. */
function unlessEmpty(found: Quantity<unknown>, keys: readonly string[], run: RunReader): Quantity<unknown> {
  const empty = found.value === null ? null : run.leftEmpty(keys);
  if (empty === null) return found;
  return run.unknown(`${empty} is null: what the program takes then is not in the files.`);
}

/** The kind that decides how a row's values are read. */
export const kindOf = ({ read }: DefinedRow, name: string, kind?: RowKind): RowKind =>
  read ?? kind ?? rowNamed(name)?.kind ?? 'word';

/** Defines the names of a row's `with`. */
export const namesWith = (own: DefinedRow['with'], names: Names): Names =>
  Object.keys(own).length === 0
    ? names
    : names.with(
        Object.fromEntries(
          Object.entries(own).map(([name, row]) => {
            const answer = answersOf('', row, row.read ?? 'number');
            return [name, (inner: Names) => answer(inner)?.value ?? null] as const;
          }),
        ),
      );

function answerOf(name: string, row: DefinedRow, declaredKind: RowKind | undefined): Answer {
  // Settings have fields and sizes have two sides, whatever the kind of the key that they derive from.
  const own = rowNamed(name)?.kind;
  const kind =
    own !== undefined && (settingsOf(own) ?? own === 'size') ? own : kindOf(row, name, declaredKind);
  const rule = row.rule === null ? null : ownOf(sharedRules, row.rule)?.(row, name);
  const isShared = row.scope === 'global' && isPerDevice(name as QuantityName);
  return outer => {
    const names = namesWith(row.with, outer);
    if (row.when && !holds(row.when, names)) return null;
    const stated = rule ? rule(names.run) : statedBy(row, kind, names);
    const found = stated ?? otherwise(name, row, kind, names);
    if (found === null) return null;
    const counted = row.unit === null ? found : names.run.inUnit(row.unit, found);
    const answer = isShared ? shareOfGlobal(names.run, counted) : counted;
    return own === undefined || canBe(answer.value, own)
      ? answer
      : names.run.unknown(`${valueText(answer.value as Plain)} is not a value of ${name}.`);
  };
}

/** The value from a row's keys: `value` if one of them is present, or the first readable value. */
function statedBy(row: DefinedRow, kind: RowKind, names: Names): Quantity<unknown> | null {
  const { run } = names;
  const read = readerOf(row, row.read ?? kind);
  const note = row.note === null ? undefined : filled(row.note, names);
  if (row.value) {
    const isStated = (one: string): boolean => run.has(one) || row.when?.isNull?.includes(one) === true;
    const key = row.keys.find(isStated);
    if (key === undefined) return null;
    const inner = names.with({ key: () => key, x: () => run.read(key, read) });
    return run.at(row.keys, valueOf(row.value.is, kind, inner), note);
  }
  // Whatever the key holds, it is there, even if its value is only known when the run starts.
  const isPresence = row.derived !== null && row.read === 'any';
  for (const key of row.keys) {
    const value = isPresence ? run.has(key) || null : run.read(key, read);
    if (value === null) continue;
    if (row.doubt !== null) return run.unknown(`${key} ${row.doubt}.`);
    if (row.formula === null && row.derived === null) return run.at(key, value, note);
    return following(row, kind, names.with({ key: () => key, x: () => value }), [key]);
  }
  return null;
}

/** A computed value, or one derived from other quantities and keys. */
function following(
  row: DefinedRow,
  kind: RowKind,
  names: Names,
  keys: readonly string[],
): Quantity<unknown> | null {
  const { run } = names;
  const { formula, derived, why } = row;
  if (formula === null) {
    if (derived === null) return null;
    return run.derived(valueOf(derived.is, kind, names), [...keys, ...row.from], filled(why ?? '', names));
  }
  const value = reckoned(formula, names);
  const [key] = keys;
  if (value === null) {
    return key === undefined ? null : run.unknown(`${formula} does not come to a number with ${key} for x.`);
  }
  const from = row.from.length > 0 ? row.from : key === undefined ? namesIn(formula) : keys;
  const how = key === undefined ? formula : `${formula} with ${key} for x`;
  return run.derived(valueOfKind(value, kind), from, why === null ? how : filled(why, names));
}

/** The value without a key of the row. */
function otherwise(name: string, row: DefinedRow, kind: RowKind, names: Names): Quantity<unknown> | null {
  const { run } = names;
  const note = row.note === null ? undefined : filled(row.note, names);
  const part = row.part === null ? null : partOf(name, row.part, row, run);
  if (part) return part;
  if (row.keys.length === 0) {
    const reckonedFrom = following(row, kind, names, []);
    if (reckonedFrom) return reckonedFrom;
  }
  if (row.always) return run.byCode(valueOf(row.always.value, kind, names), row.always.source, note);
  if (row.of !== null) return followingOther(row, row.of, names);
  if (row.default) return run.byDefault(valueOf(row.default.value, kind, names), row.default.source, note);
  const release = row.defaults.find(
    ({ since, library }) => since === undefined || run.atLeast(since, library),
  );
  if (release) return run.byDefault(release.value, release.source);
  if (row.unknown !== null) return run.unknown(filled(row.unknown, names));
  return row.assumed ? run.derived(row.assumed.value, [], `assumed: ${row.assumed.source}`) : null;
}

/** What a part says of it. Where its words have other meanings here, one that is missing leaves the next row to answer. */
function partOf(name: string, key: string, { map }: DefinedRow, run: RunReader): Quantity<unknown> | null {
  const part = map.length === 0 ? run.part(key) : run.unlessOpen(() => run.part(key), null);
  if (!part) return null;
  const found = isQuantityName(name) ? part.get(name) : isDetailName(name) ? part.detail(name) : null;
  const meaning = map.length === 0 ? undefined : meaningIn(map, (found?.value ?? null) as Plain);
  return found && meaning !== undefined ? { ...found, value: meaning } : found;
}

/** The value of another row, mapped or unchanged. */
function followingOther(row: DefinedRow, of: string, names: Names): Quantity<unknown> | null {
  const { run } = names;
  const value = names.value(of) as Plain;
  if (value === null) return row.orElse.length > 0 || row.why ? null : run.unknown(`${of} is not known.`);
  const found = row.map.length === 0 ? value : meaningIn(row.map, value);
  const why = row.why === null ? `follows from ${of}` : filled(row.why, names);
  if (found !== undefined) return run.derived(found, [of], why);
  const { default: last } = row;
  return last
    ? run.byDefault(last.value, last.source)
    : run.unknown(`Nothing is said for ${of} ${valueText(value)}.`);
}

/** Reads a value by the row's map; without a map, as a program would. */
export function readerOf({ map, oneOf: meanings }: DefinedRow, kind: RowKind): ValueReader<unknown> {
  if (meanings) return oneOf<unknown>(meanings);
  const plain = (ownOf(readers, kind) as ValueReader<unknown> | undefined) ?? readers.word;
  if (map.length === 0) return plain;
  return value => {
    if (kind === 'words' && Array.isArray(value)) {
      return { ok: value.map(one => String(meaningIn(map, one as Plain) ?? one)) };
    }
    const found = meaningIn(map, value);
    if (found === undefined) return { unfit: `is not one of ${map.map(([words]) => words).join(', ')}` };
    return found === null ? null : { ok: kind === 'words' ? [String(found)] : found };
  };
}

/** Undefined: the map has no matching value. */
function meaningIn(map: DefinedRow['map'], value: Plain): ScalarValue | undefined {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return map.find(([words]) => isMeant(words, text))?.[1];
}

const SCALAR_KINDS: ReadonlySet<RowKind> = new Set<RowKind>([
  'flag',
  'count',
  'countOrNone',
  'number',
  'stage',
]);

/** A value of the dialect file, with names substituted and nested rows evaluated. */
export function valueOf(spec: Spec, kind: RowKind, names: Names): unknown {
  if (typeof spec === 'string') {
    const name = soleName(spec);
    return name === null ? filled(spec, names) : names.value(name);
  }
  if (typeof spec !== 'object' || spec === null) return valueOfKind(spec, kind);
  // The sides of a size are numbers each.
  if (isList(spec)) return spec.map(one => (typeof one === 'number' ? one : valueOf(one, kind, names)));
  if ('join' in spec) return spec.join.flatMap(one => valueOf(one, kind, names) ?? []);
  if ('row' in spec) return answersOf('', spec.row, spec.row.read ?? kind)(names)?.value ?? null;
  // A number or a word has no fields, and arithmetic on an object would abort the whole analysis.
  if (SCALAR_KINDS.has(kind)) return null;
  const fields = Object.entries(spec.fields).map(([field, fieldSpec]) => {
    const of = ownOf(settingsOf(kind) ?? {}, field);
    const value = (): unknown => valueOf(fieldSpec, of?.kind ?? 'number', names);
    // A field that the memory model can do without leaves the other fields known.
    return [field, of && 'open' in of ? names.run.unlessOpen(value, of.open) : value()];
  });
  return settled(kind, Object.fromEntries(fields) as Readonly<Record<string, unknown>>);
}

/** A single side counts for both sides of an image. */
const valueOfKind = (value: Plain, kind: RowKind): unknown =>
  kind === 'size' && typeof value === 'number' ? [value, value] : value;

const isList = (spec: Spec): spec is readonly Spec[] => Array.isArray(spec);
