import type { Plain } from '../yaml/scalars';
import { phrase } from '../text/say';
import type { Span } from '../text/span';
import type { MapNode, YamlFile, YamlNode } from '../yaml/node';
import { parseText } from '../yaml/file';
import { resolve } from '../yaml/path';
import { dialectFrom } from './defined/compile';
import type { DialectDefinition } from './defined/definition';
import { rowNamed } from './defined/rows';
import { fieldAt } from './defined/format';
import { valueText } from './shared/words';
import type { Default, Dialect, KeyHelp, Row, Scope } from './dialect';
import { dialects } from './registry';
import { ownOf } from '../yaml/tables';

/** A dialect's information about a key. */
export interface KeyNote {
  readonly title: string;
  /** The path from the document's root: `training.trainer.precision`. */
  readonly key: string;
  readonly keySpan: Span;
  readonly text: string | null;
  /** The quantity that the text is about; null: it is about the key. */
  readonly quantity: string | null;
  /** All possible values; empty if there are many. */
  readonly values: readonly string[];
  /** Defaults, newest release first. */
  readonly defaults: readonly KeyDefault[];
  /** What its number counts samples, GPUs or workers of; null: it counts none, or unknown. */
  readonly scope: Scope | null;
}

export interface KeyDefault {
  readonly value: string;
  /** First release with it; null: all older ones. */
  readonly since: string | null;
  readonly source: string;
}

/** Longer texts are not parsed again for a note. */
const LONGEST = 200_000;

/**
 * The dialect's note on the key whose entry begins on the line of an offset; null if the key is unknown. Pass the tree of a text
 * whose keys are asked for one after the other: most of the time is the parser's.
 */
export function keyNoteAt(
  dialect: string | DialectDefinition,
  config: string | YamlFile,
  offset: number,
): KeyNote | null {
  const known =
    typeof dialect === 'string' ? dialects.find(({ id }) => id === dialect) : dialectFrom(dialect);
  const found = known ? entryAt(config, offset) : null;
  if (!known || !found) return null;
  return typeof dialect === 'string' ? noteOf(known, found) : definedNote(dialect, known, found);
}

/** The note on a key in a file of `.headroom/dialects`. */
export function definitionNoteAt(text: string, offset: number): KeyNote | null {
  const found = entryAt(text, offset);
  const about = found && fieldAt(found.path);
  if (!about) return null;
  const { shape } = about;
  return {
    title: phrase`Dialect of this workspace`,
    key: found.path.join('.'),
    keySpan: found.keySpan,
    text: about.text,
    quantity: null,
    values: shape.kind === 'text' ? (shape.oneOf ?? []) : [],
    defaults: [],
    scope: null,
  };
}

function entryAt(config: string | YamlFile, offset: number): FoundEntry | null {
  const text = typeof config === 'string' ? config : config.text;
  if (text.length > LONGEST) return null;
  const { documents } = typeof config === 'string' ? parseText(config) : config;
  const line = lineAround(text, offset);
  for (const { root } of documents) {
    const found = root && entryIn(root, line, []);
    if (found) return found;
  }
  return null;
}

function lineAround(text: string, offset: number): Span {
  const end = text.indexOf('\n', offset);
  return { start: text.lastIndexOf('\n', offset - 1) + 1, end: end < 0 ? text.length : end };
}

interface FoundEntry {
  readonly path: readonly string[];
  readonly keySpan: Span;
}

/** The entry whose key is within a span; skips list items, which have no names. */
function entryIn(node: YamlNode, line: Span, path: readonly string[]): FoundEntry | null {
  if (node.kind !== 'map') return null;
  for (const { key, keySpan, value, merged } of (node satisfies MapNode).entries) {
    if (merged) continue;
    const here = [...path, key];
    if (keySpan.start >= line.start && keySpan.end <= line.end) return { path: here, keySpan };
    const below = resolve(value) === value ? entryIn(value, line, here) : null;
    if (below) return below;
  }
  return null;
}

/** The note of a workspace dialect, or of a reading by vocabulary, on a key. */
function definedNote(definition: DialectDefinition, dialect: Dialect, found: FoundEntry): KeyNote | null {
  const names = namesOf(dialect, found.path);
  const own = Object.entries(definition.rows).find(([, { keys }]) => keys.some(key => names.includes(key)));
  const note = noteOf(dialect, found);
  if (!own) return note;
  const [name, row] = own;
  return {
    title: dialect.title,
    key: found.path.join('.'),
    keySpan: found.keySpan,
    text: note?.text ?? rowNamed(name)?.text ?? '',
    quantity: (note?.text ?? null) === null ? name : null,
    values: note && note.values.length > 0 ? note.values : wordsOf(dialect, names),
    defaults: row.default
      ? [{ value: valueText(row.default.value as Plain), since: null, source: row.default.source }]
      : (note?.defaults ?? []),
    scope: row.scope,
  };
}

/** The note on a key that may be below a path. */
export const noteBelow = (dialect: Dialect, path: readonly string[]): KeyNote | null =>
  noteOf(dialect, { path, keySpan: { start: 0, end: 0 } });

function noteOf(dialect: Dialect, { path, keySpan }: FoundEntry): KeyNote | null {
  const names = namesOf(dialect, path);
  const help = names.map(name => ownOf(dialect.help ?? {}, name)).find(Boolean);
  const row = names.map(name => rowOf(dialect, name)).find(Boolean) ?? null;
  if (help === undefined && row === null) return null;
  return {
    title: dialect.title,
    key: path.join('.'),
    keySpan,
    text: help?.text ?? null,
    quantity: null,
    values: help?.values ?? wordsOf(dialect, names),
    defaults: defaultsIn(row) ?? statedDefault(dialect, help),
    scope: row?.scope ?? null,
  };
}

const wordsOf = ({ words }: Dialect, names: readonly string[]): readonly string[] =>
  names.map(name => words?.(name) ?? []).find(found => found.length > 0) ?? [];

/** A key with and without its section; `*` stands for a section with a profile's name. */
function namesOf({ roots = [] }: Dialect, path: readonly string[]): readonly string[] {
  const [section = '', ...rest] = path;
  const full = path.join('.');
  if (rest.length === 0) return [full];
  const below = rest.join('.');
  return roots.includes(section) ? [full, below] : [full, `*.${below}`];
}

function statedDefault({ framework }: Dialect, help: KeyHelp | undefined): readonly KeyDefault[] {
  const value = help?.byDefault;
  return value === undefined ? [] : [{ value, since: null, source: framework.name }];
}

function rowOf(dialect: Dialect, key: string): Row<unknown> | null {
  const rows = Object.values(dialect.quantities).filter(one => typeof one === 'object');
  return (rows.find(({ keys }) => keys.includes(key)) ?? null) as Row<unknown> | null;
}

/** Null if no row states a default. */
function defaultsIn(row: Row<unknown> | null): readonly KeyDefault[] | null {
  if (row === null || typeof row.absent !== 'object') return null;
  const all: readonly Default<unknown>[] = [row.absent].flat();
  return all.map(({ value, since, library, source }) => ({
    value: value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value),
    since: since === undefined ? null : [library, since].filter(Boolean).join(' '),
    source,
  }));
}
