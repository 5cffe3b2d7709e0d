import type { Unit } from '../../spec/quantity';
import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';
import type { Scope } from '../dialect';
import { emptyRow } from './definition';
import type { DefinedRow, DefinedWrite, DefinedWriter, RowConditions, Spec, Told } from './definition';
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
  return { ...emptyRow, ...first, orElse: others.map(saying) };
}

/** A row without empty fields. */
const saying = (row: Partial<DefinedRow>): Partial<DefinedRow> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

function rowOf(said: Table, id: string): DefinedRow {
  const source = textOf(said['source']) ?? `${id}’s dialect file`;
  const spec = (name: string): { readonly is: Spec } | null =>
    Object.hasOwn(said, name) ? { is: specOf(said[name] ?? null, id) } : null;
  const told = (name: string): Told | null => {
    const value = spec(name);
    return value && { value: value.is, source };
  };
  return {
    ...emptyRow,
    when: said['when'] === undefined ? null : conditionsOf(said['when']),
    with: mapped(said['with'], one => localOf(one, id)),
    value: spec('value'),
    derived: spec('derived'),
    from: textsOf(said['from']),
    why: textOf(said['why']),
    rule: textOf(said['rule']),
    part: textOf(said['part']),
    write: said['write'] === undefined ? null : mapped(said['write'], scalarOf),
    keys: pathsOf(said['keys']),
    of: textOf(said['of']),
    map: Object.entries(tableOf(said['map'])).map(([words, meaning]) => [words, scalarOf(meaning)]),
    formula: textOf(said['formula']),
    scope: textOf(said['scope']) as Scope | null,
    unit: textOf(said['unit']) as Unit | null,
    default: told('default'),
    always: told('always'),
    note: textOf(said['note']),
    read: textOf(said['read']) as DefinedRow['read'],
    oneOf: said['oneOf'] === undefined ? null : (tableOf(said['oneOf']) as DefinedRow['oneOf']),
    defaults: listOf(said['defaults']).map(one => defaultOf(tableOf(one), source)),
    unknown: textOf(said['unknown']),
    near: pathsOf(said['near']),
  };
}

/** A row, or the name of a quantity. */
const localOf = (plain: Plain, id: string): Partial<DefinedRow> =>
  typeof plain === 'string' ? { derived: { is: `{${plain}}` } } : saying(rowsOf(plain, id));

const defaultOf = (said: Table, source: string): DefinedRow['defaults'][number] => ({
  value: said['value'] ?? null,
  source: textOf(said['source']) ?? source,
  ...stated('since', textOf(said['since'])),
  ...stated('library', textOf(said['library'])),
});

const ROW_FIELDS: readonly string[] = ['keys', 'of', 'when', 'default', 'derived', 'formula', 'rule', 'part'];

const isRow = (plain: Plain): boolean =>
  isTable(plain) && ROW_FIELDS.some(name => Object.hasOwn(plain, name));

export function specOf(plain: Plain, id: string): Spec {
  if (isRow(plain) || listOf(plain).some(isRow)) return { row: saying(rowsOf(plain, id)) };
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

function conditionsOf(plain: Plain): RowConditions {
  const said = Object.entries(tableOf(plain)).filter(([name]) => Object.hasOwn(CONDITIONS, name));
  return Object.fromEntries(said.map(([name, one]) => [name, CONDITIONS[name as keyof RowConditions](one)]));
}

/** How a quantity is written: one way, or a list of which the first that applies wins. */
export const writersIn = (plain: Plain, id: string): readonly Partial<DefinedWriter>[] =>
  severalOf(plain).map(one => writerOf(tableOf(one), id));

function writerOf(said: Table, id: string): Partial<DefinedWriter> {
  const { to } = said;
  return Object.fromEntries(
    Object.entries({
      to: to === undefined ? null : isTable(to) ? mapped(to, scalarOf) : scalarsOf(to),
      same: said['same'] === true || null,
      when: said['when'] === undefined ? null : conditionsOf(said['when']),
      with: mapped(said['with'], one => localOf(one, id)),
      map: said['map'] === undefined ? null : mapped(said['map'], scalarOf),
      formula: textOf(said['formula']),
      set: severalOf(said['set']).map(one => writeOf(tableOf(one), id)),
      refuse: textOf(said['refuse']),
      rule: textOf(said['rule']),
      keys: pathsOf(said['keys']),
    }).filter(([, value]) => !isEmpty(value)),
  );
}

const writeOf = (said: Table, id: string): DefinedWrite => ({
  keys: pathsOf(said['key']),
  value: Object.hasOwn(said, 'value') ? { is: specOf(said['value'] ?? null, id) } : null,
  near: pathsOf(said['near']),
  when: said['when'] === undefined ? null : conditionsOf(said['when']),
});
