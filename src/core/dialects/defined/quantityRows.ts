import type { ScalarValue } from '../../yaml/node';
import type { PackRule, Row, Rule } from '../dialect';
import type { ValueReader } from '../engine/readers';
import { answersOf, kindOf, readerOf } from './answers';
import { emptyRow } from './definition';
import type { DefinedRow, Spec } from './definition';
import { once } from './lazily';
import { Names } from './names';
import { patternOf } from './plain';
import type { RowKind } from './words';
import { kindWriters } from './words';
import { ownOf } from '../../yaml/tables';

/** A row with keys can be written; computed and constant rows cannot. */
export function quantityOf(
  name: string,
  row: DefinedRow,
  kind: RowKind,
  isOwn: boolean,
): Row<unknown> | Rule<unknown> {
  if (!isPlain(row)) return Object.assign(ruleOf(name, row), { rowOf: rowFor(name, row, isOwn) });
  return {
    keys: row.keys,
    read: doubted(row, readerOf(row, kind)),
    ...(row.scope && { scope: row.scope }),
    ...(row.unit && { unit: row.unit }),
    ...(row.note !== null && { note: row.note }),
    ...(row.near.length > 0 && { near: row.near }),
    ...absentOf(name, row),
    ...writerOf(row, kind, isOwn),
  };
}

/** True if only keys decide it. */
const isPlain = ({ keys, always, formula, value, derived, when, rule }: DefinedRow): boolean =>
  keys.length > 0 && ![always, formula, value, derived, when, rule].some(field => field !== null);

/** Of alternatives, the first with an answer, whatever its condition; null if its key is not read as it is. */
function rowFor(name: string, row: DefinedRow, isOwn: boolean): NonNullable<Rule<unknown>['rowOf']> {
  const rows = once(() =>
    [row, ...row.orElse].map(one => {
      const alone: DefinedRow = { ...emptyRow, ...one, orElse: [] };
      const free: DefinedRow = { ...alone, when: null };
      return {
        answer: answersOf(name, alone),
        row: isReadAsIs(free) ? (quantityOf(name, free, kindOf(free, name), isOwn) as Row<unknown>) : null,
      };
    }),
  );
  return run => rows().find(({ answer }) => answer(new Names(run)) !== null)?.row ?? null;
}

const isReadAsIs = (row: DefinedRow): boolean =>
  isPlain(row) && [row.scope, row.unit, row.doubt, row.of, row.part].every(field => field === null);

/** A pack's answer for a quantity: keys, or a rule; without an answer the general dialect decides. */
export function packRowOf(name: string, row: DefinedRow, kind: RowKind): Row<unknown> | PackRule<unknown> {
  const isRow = isPlain(row) && row.orElse.length === 0 && row.default === null;
  return isRow ? quantityOf(name, row, kind, row.map.length > 0) : packRuleOf(name, row);
}

/** Null if no row has an answer. */
export function packRuleOf(name: string, row: DefinedRow): PackRule<unknown> {
  const answer = once(() => answersOf(name, row));
  return run => answer()(new Names(run));
}

/** The rule of a row; its alternatives are compiled on first use. */
export function ruleOf(name: string, row: DefinedRow): Rule<unknown> {
  const [key] = row.keys;
  const answer = packRuleOf(name, row);
  return run => answer(run) ?? run.unknown(key === undefined ? `${name} has no key.` : `${key} is not set.`);
}

function absentOf(name: string, row: DefinedRow): Pick<Row<unknown>, 'absent'> {
  const [next, ...others] = row.orElse;
  if (next) {
    const answer = once(() => answersOf(name, { ...next, orElse: others }, next.read ?? undefined));
    return { absent: run => answer()(new Names(run)) };
  }
  const isFilledIn = isSettings(row.default?.value ?? null);
  if (row.of !== null || row.assumed || row.unknown !== null || row.part !== null || isFilledIn) {
    const answer = once(() => answersOf(name, { ...row, keys: [] }));
    return { absent: run => answer()(new Names(run)) };
  }
  if (row.defaults.length > 0) return { absent: row.defaults };
  return row.default ? { absent: row.default } : {};
}

const isSettings = (value: Spec): boolean =>
  typeof value === 'object' && value !== null && ('fields' in value || 'row' in value);

function doubted(row: DefinedRow, read: ValueReader<unknown>): ValueReader<unknown> {
  const { doubt } = row;
  if (doubt === null) return read;
  return value => (read(value) === null ? null : { left: doubt });
}

/** Kinds that are written as their canonical value. */
const WRITTEN_AS_MEANT: ReadonlySet<RowKind> = new Set([
  'word',
  'flag',
  'count',
  'countOrNone',
  'number',
  'stage',
]);

function writerOf({ map, write }: DefinedRow, kind: RowKind, isOwn: boolean): Pick<Row<unknown>, 'write'> {
  if (write) {
    return { write: meant => (Object.hasOwn(write, String(meant)) ? (write[String(meant)] ?? null) : null) };
  }
  const kindWriter = ownOf(kindWriters, kind);
  if (kindWriter) return { write: kindWriter };
  if (!isOwn) return {};
  if (map.length === 0) return WRITTEN_AS_MEANT.has(kind) ? {} : { write: () => null };
  return {
    write: meant => {
      const words = map.find(([word, meaning]) => meaning === meant && patternOf(word) === null)?.[0];
      return words === undefined ? null : asScalar(words);
    },
  };
}

/** Words of a map are text; those that look like a boolean or a number are written as one. */
function asScalar(words: string): ScalarValue {
  if (words === 'true') return true;
  if (words === 'false') return false;
  return /^-?\d+(?:\.\d+)?$/.test(words) ? Number(words) : words;
}
