import type { Unit } from '../../spec/quantity';
import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';
import type { Scope } from '../dialect';
import { emptyRow } from './definition';
import type {
  DefinedRow,
  DefinedWrite,
  DefinedWriter,
  RowConditions,
  Spec,
  SourcedValue,
} from './definition';
import {
  isTable,
  listOf,
  mapped,
  numberOf,
  pathsOf,
  scalarOf,
  severalOf,
  stated,
  tableOf,
  textOf,
  textsOf,
} from './plain';
import type { Table } from './plain';

/** A row of a dialect file, or a list of rows: the first with an answer wins. */
export function rowsOf(plain: Plain, id: string): DefinedRow {
  const [first = {}, ...others] = severalOf(plain).map(one => rowOf(tableOf(one), id));
  return { ...emptyRow, ...first, orElse: others.map(withoutEmpty) };
}

/** A row without empty fields. */
const withoutEmpty = (row: Partial<DefinedRow>): Partial<DefinedRow> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

function rowOf(table: Table, id: string): DefinedRow {
  const source = textOf(table['source']) ?? `${id}’s dialect file`;
  const spec = (name: string): { readonly is: Spec } | null =>
    Object.hasOwn(table, name) ? { is: specOf(table[name] ?? null, id) } : null;
  const sourcedValue = (name: string): SourcedValue | null => {
    const value = spec(name);
    return value && { value: value.is, source };
  };
  return {
    ...emptyRow,
    when: table['when'] === undefined ? null : conditionsOf(table['when']),
    with: mapped(table['with'], one => localOf(one, id)),
    value: spec('value'),
    derived: spec('derived'),
    from: textsOf(table['from']),
    why: textOf(table['why']),
    rule: textOf(table['rule']),
    part: textOf(table['part']),
    write: table['write'] === undefined ? null : mapped(table['write'], scalarOf),
    keys: pathsOf(table['keys']),
    of: textOf(table['of']),
    map: Object.entries(tableOf(table['map'])).map(([words, meaning]) => [words, scalarOf(meaning)]),
    formula: textOf(table['formula']),
    scope: textOf(table['scope']) as Scope | null,
    unit: textOf(table['unit']) as Unit | null,
    default: sourcedValue('default'),
    always: sourcedValue('always'),
    note: textOf(table['note']),
    read: textOf(table['read']) as DefinedRow['read'],
    oneOf: table['oneOf'] === undefined ? null : (tableOf(table['oneOf']) as DefinedRow['oneOf']),
    defaults: listOf(table['defaults']).map(one => defaultOf(tableOf(one), source)),
    unknown: textOf(table['unknown']),
    near: pathsOf(table['near']),
  };
}

/** A row, or the name of a quantity. */
const localOf = (plain: Plain, id: string): Partial<DefinedRow> =>
  typeof plain === 'string' ? { derived: { is: `{${plain}}` } } : withoutEmpty(rowsOf(plain, id));

const defaultOf = (table: Table, source: string): DefinedRow['defaults'][number] => ({
  value: table['value'] ?? null,
  source: textOf(table['source']) ?? source,
  ...stated('since', textOf(table['since'])),
  ...stated('library', textOf(table['library'])),
});

const ROW_FIELDS: readonly string[] = ['keys', 'of', 'when', 'default', 'derived', 'formula', 'rule', 'part'];

const isRow = (plain: Plain): boolean =>
  isTable(plain) && ROW_FIELDS.some(name => Object.hasOwn(plain, name));

export function specOf(plain: Plain, id: string): Spec {
  if (isRow(plain) || listOf(plain).some(isRow)) return { row: withoutEmpty(rowsOf(plain, id)) };
  if (isTable(plain) && plain['join'] !== undefined) {
    return { join: listOf(plain['join']).map(one => specOf(one, id)) };
  }
  if (isTable(plain)) return { fields: mapped(plain, one => specOf(one, id)) };
  return Array.isArray(plain) ? listOf(plain).map(one => specOf(one, id)) : scalarOf(plain);
}

const scalarsOf = (plain: Plain): readonly ScalarValue[] => severalOf(plain).map(scalarOf);
const tableBy =
  <T>(as: (plain: Plain) => T) =>
  (plain: Plain): Readonly<Record<string, T>> =>
    mapped(plain, as);

/** How to parse each condition. */
const CONDITIONS: { readonly [Name in keyof RowConditions]-?: (plain: Plain) => RowConditions[Name] } = {
  on: textsOf,
  anyOn: textsOf,
  off: textsOf,
  no: textsOf,
  stated: textsOf,
  anyStated: textsOf,
  absent: textsOf,
  isNull: textsOf,
  is: tableBy(textsOf),
  isNot: tableBy(textsOf),
  matches: tableBy(one => textOf(one) ?? ''),
  lists: tableBy(one => textOf(one) ?? ''),
  holds: tableBy(scalarsOf),
  above: tableBy(one => numberOf(one) ?? 0),
  below: tableBy(one => numberOf(one) ?? 0),
  equals: tableBy(scalarsOf),
  differs: tableBy(scalarsOf),
  like: tableBy(one => textOf(one) ?? ''),
  more: tableBy(one => numberOf(one) ?? 0),
  less: tableBy(one => numberOf(one) ?? 0),
  known: textsOf,
  unknown: textsOf,
  since: releasesOf,
  before: releasesOf,
  path: plain => textOf(plain) ?? '',
  any: plain => listOf(plain).map(conditionsOf),
  not: conditionsOf,
};

/** `0.28.0` is a release of the framework itself. */
function releasesOf(plain: Plain): Readonly<Record<string, string>> {
  return isTable(plain) ? mapped(plain, one => textOf(one) ?? '') : { framework: textOf(plain) ?? '' };
}

/** The conditions of a row. */
export function conditionsOf(plain: Plain): RowConditions {
  const knownEntries = Object.entries(tableOf(plain)).filter(([name]) => Object.hasOwn(CONDITIONS, name));
  return Object.fromEntries(
    knownEntries.map(([name, one]) => [name, CONDITIONS[name as keyof RowConditions](one)]),
  );
}

/** How a quantity is written: one way, or a list of which the first that applies wins. */
export const writersIn = (plain: Plain, id: string): readonly Partial<DefinedWriter>[] =>
  severalOf(plain).map(one => writerOf(tableOf(one), id));

function writerOf(table: Table, id: string): Partial<DefinedWriter> {
  const { to } = table;
  return Object.fromEntries(
    Object.entries({
      to: to === undefined ? null : isTable(to) ? mapped(to, scalarOf) : scalarsOf(to),
      same: table['same'] === true || null,
      when: table['when'] === undefined ? null : conditionsOf(table['when']),
      with: mapped(table['with'], one => localOf(one, id)),
      map: table['map'] === undefined ? null : mapped(table['map'], scalarOf),
      formula: textOf(table['formula']),
      set: severalOf(table['set']).map(one => writeOf(tableOf(one), id)),
      refuse: textOf(table['refuse']),
      rule: textOf(table['rule']),
      keys: pathsOf(table['keys']),
    }).filter(([, value]) => !isEmpty(value)),
  );
}

const writeOf = (table: Table, id: string): DefinedWrite => ({
  keys: pathsOf(table['key']),
  value: Object.hasOwn(table, 'value') ? { is: specOf(table['value'] ?? null, id) } : null,
  near: pathsOf(table['near']),
  when: table['when'] === undefined ? null : conditionsOf(table['when']),
});
