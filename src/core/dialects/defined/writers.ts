import type { ScalarValue } from '../../yaml/node';
import type { KeyWrite, WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { ownOf } from '../../yaml/tables';
import { refuse } from '../shared/writing';
import { namesWith, valueOf } from './answers';
import { holds } from './conditions';
import type { DefinedWrite, DefinedWriter, DialectDefinition } from './definition';
import { Names, filled, reckoned } from './names';
import { isMeant } from './plain';
import { sharedWriters } from './sharedWriters';

const emptyWriter: DefinedWriter = {
  to: null,
  same: false,
  when: null,
  with: {},
  map: null,
  formula: null,
  set: [],
  refuse: null,
  rule: null,
  keys: [],
};

/** The writers of a dialect file. */
export const writersOf = ({ writers, title }: Pick<DialectDefinition, 'writers' | 'title'>): WriterTable =>
  Object.fromEntries(
    Object.entries(writers).map(([name, rows]) => {
      const all = rows.map(row => ({ ...emptyWriter, ...row }));
      return [name, (to: unknown, run: RunReader) => writtenBy(all, name, to, run, title)];
    }),
  );

function writtenBy(
  rows: readonly DefinedWriter[],
  name: string,
  to: unknown,
  run: RunReader,
  title: string,
): Written {
  for (const row of rows) {
    const written = writtenAs(row, name, to, run);
    if (written) return written;
  }
  return refuse(`${title} has no word for ${String(to)}.`);
}

/** Null: the row applies to another value or another run. */
function writtenAs(row: DefinedWriter, name: string, to: unknown, run: RunReader): Written | null {
  if (row.to !== null && !isRequested(row.to, to)) return null;
  if (row.same && to !== new Names(run).value(name)) return null;
  const given = namesWith(row.with, new Names(run, { to: () => to }));
  if (row.when && !holds(row.when, given)) return null;
  if (row.refuse !== null) return refuse(filled(row.refuse, given));
  if (row.rule !== null) return ownOf(sharedWriters, row.rule)?.(row, name)(to, run) ?? null;
  const value = wordFor(row, to, given);
  if (value === undefined) return null;
  const names = given.with({ value: () => value });
  const writes = row.set.filter(({ when }) => when === null || holds(when, names));
  return { ok: true, writes: writes.map(write => keyWrite(write, names)) };
}

function isRequested(wanted: NonNullable<DefinedWriter['to']>, to: unknown): boolean {
  if (isList(wanted)) return wanted.some(one => one === to || isMeant(String(one), String(to)));
  const fields = typeof to === 'object' && to !== null ? (to as Readonly<Record<string, unknown>>) : {};
  return Object.entries(wanted).every(([field, value]) => (ownOf(fields, field) ?? null) === value);
}

const isList = (wanted: NonNullable<DefinedWriter['to']>): wanted is readonly ScalarValue[] =>
  Array.isArray(wanted);

/** The value in the dialect's words; undefined if it has none. */
function wordFor({ map, formula }: DefinedWriter, to: unknown, names: Names): unknown {
  if (map) return Object.hasOwn(map, String(to)) ? map[String(to)] : undefined;
  return formula === null ? to : (reckoned(formula, names) ?? undefined);
}

function keyWrite({ keys, value, near }: DefinedWrite, names: Names): KeyWrite {
  const [first = ''] = keys;
  const written = value ? valueOf(value.is, 'word', names) : names.value('value');
  return {
    key: keys.find(key => names.run.has(key)) ?? first,
    value: written as ScalarValue,
    ...(near.length > 0 && { near }),
  };
}
