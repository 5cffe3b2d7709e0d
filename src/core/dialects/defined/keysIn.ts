import { kindOf } from './answers';
import type { DefinedRow, DialectDefinition } from './definition';

/** Fields that hold keys, or keys with the values to compare. */
const LISTS: ReadonlySet<string> = new Set([
  ...['keys', 'near', 'on', 'anyOn', 'off', 'no', 'stated', 'anyStated', 'absent', 'isNull'],
]);
const TABLES: ReadonlySet<string> = new Set(['is', 'isNot', 'matches', 'lists', 'holds', 'above', 'below']);

/** All keys in the rows, conditions, writers and rules of a dialect file, and the listed ones. */
export function keysIn(definition: DialectDefinition): readonly string[] {
  const { rows, writers, rules, datasets, compose, ownModel, sections, otherKeys } = definition;
  const keys = new Set<string>([...sections, ...otherKeys]);
  for (const part of [rows, writers, rules.map(({ when }) => when), compose, ownModel]) gather(part, keys);
  for (const { path, in: list } of datasets) keys.add(list ?? path);
  for (const { part } of Object.values(rows)) if (part !== null) keys.add(part);
  return [...keys];
}

function gather(at: unknown, keys: Set<string>): void {
  if (Array.isArray(at)) for (const one of at) gather(one, keys);
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return;
  for (const [name, value] of Object.entries(at)) {
    if (LISTS.has(name) && Array.isArray(value)) for (const key of value) keys.add(String(key));
    else if (TABLES.has(name) && isTable(value)) for (const key of Object.keys(value)) keys.add(key);
    else gather(value, keys);
  }
}

const isTable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The known values of a key in the rows of a dialect file; empty if there are many or none. */
export function wordsIn({ rows }: DialectDefinition, key: string): readonly string[] {
  for (const [name, row] of Object.entries(rows)) {
    if (!row.keys.includes(key)) continue;
    const words = wordsOf(row);
    if (words.length > 0) return words;
    if (kindOf(row, name) === 'flag') return ['true', 'false'];
  }
  return [];
}

const wordsOf = ({ map, oneOf }: DefinedRow): readonly string[] =>
  [...map.map(([word]) => word), ...Object.keys(oneOf ?? {})].filter(word => !word.startsWith('/'));
