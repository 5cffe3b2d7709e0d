import { addToArguments, addToCommand } from './argv';
import { ARGV, ARGV_TEXT, PYTHON } from './node';
import type { Entry, MapNode, ScalarValue, YamlDocument, YamlNode } from './node';
import type { Found, YamlPath } from './path';
import { entryOf, find, formatPath, resolve } from './path';
import { scalarText } from './scalarText';
import { edit, refuse } from '../text/textEdit';
import type { EditResult } from '../text/textEdit';

/** A key to add, and its value. */
export interface NewKey {
  readonly path: YamlPath;
  readonly value: ScalarValue;
}

/** Mappings whose keys are separate words or arguments. */
const NO_SECTIONS: ReadonlySet<string | null> = new Set([ARGV, ARGV_TEXT, PYTHON]);

/**
 * The section that several new keys have to share in one edit: a missing section, or an empty `{}`. Null for an
 * independent key.
 */
export function togetherIn(document: YamlDocument, path: YamlPath): YamlPath | null {
  if (findInText(document, path)) return null;
  const [map, depth] = nearestMap(document, path);
  if (map === null || NO_SECTIONS.has(map.tag)) return null;
  if (map.flow && map.entries.length === 0) return path.slice(0, depth);
  return depth < path.length - 1 ? path.slice(0, depth + 1) : null;
}

/**
 * Adds keys with one edit after `after`, or at the end of their mapping, which is created if missing. Several keys
 * must be `togetherIn` the same section. Refuses, with the reason, if a small edit would change more.
 */
export function addKeys(
  text: string,
  document: YamlDocument,
  keys: readonly NewKey[],
  after: string | null,
): EditResult {
  const [first] = keys;
  const index = first?.path.at(-1);
  if (!first || typeof index !== 'number') return addBelow(text, document, keys, after);
  const path = first.path.slice(0, -1);
  const list = findInText(document, path)?.node;
  if (list) return addItem(text, list, first);
  if (index > 0) return refuse(`${formatPath(path)} is not there`);
  return addBelow(text, document, [{ path, value: [{ key: null, value: first.value }] }], after);
}

/** Adds keys, each with its value or with the first item of its list. */
function addBelow(
  text: string,
  document: YamlDocument,
  keys: readonly KeyWithValue[],
  after: string | null,
): EditResult {
  const path = keys[0]?.path ?? [];
  if (path.some(part => typeof part === 'number')) return refuse(`${formatPath(path)} is inside a list`);
  const [map, depth] = nearestMap(document, path);
  if (map === null) return refuse(`${whole(path.slice(0, depth))} is not a mapping`);
  const inTheWay = entryOf(map, String(path[depth]));
  const why = inTheWay ? blocked(inTheWay, map) : null;
  if (why !== null) return refuse(`${formatPath(path.slice(0, depth + 1))} ${why}`);
  const entries = map.entries
    .filter(entry => !entry.merged && !isGrafted(entry))
    .sort((a, b) => a.keySpan.start - b.keySpan.start);
  const neighbor = entries.find(entry => entry.key === after) ?? entries.at(-1);
  const value = keys[0]?.value ?? null;
  if (map.tag === ARGV || map.tag === ARGV_TEXT) return addFlag(text, map, { path, value }, neighbor);
  const branches = branchesOf(keys.map(key => ({ ...key, path: key.path.slice(depth) }))).map(branch =>
    spelledLike(text, neighbor, branch),
  );
  return map.flow
    ? addToFlow(text, map, branches, neighbor)
    : addToBlock(text, branches, neighbor, indentOf(text, document));
}

/** Where keys are flags (`--micro-batch-size: 4`), a new key is one, too. */
function spelledLike(text: string, neighbor: Entry | undefined, branch: Branch): Branch {
  const isFlag = neighbor?.from !== undefined && text.startsWith('--', neighbor.keySpan.start);
  return isFlag && branch.key !== null ? { ...branch, key: `--${branch.key.replaceAll('_', '-')}` } : branch;
}

/** Why no key can stand below an entry of this name, or beside it; null: one can. */
function blocked(entry: Entry, { tag }: MapNode): string | null {
  if (entry.merged) return entry.from && tag === null ? 'is computed' : null;
  return isGrafted(entry) ? null : 'has no mapping to add to';
}

/** Adds a flag to a command; a list has none that could begin it. */
function addFlag(
  text: string,
  map: MapNode,
  { path, value }: KeyWithValue,
  neighbor: Entry | undefined,
): EditResult {
  if (isSection(value)) return refuse(`${formatPath(path)} is a list, which no flag can begin`);
  // Of two equal flags the last one wins: a new one next to one that can't be changed may do nothing.
  const same = entryOf(map, formatPath(path));
  if (same && !isGrafted(same)) {
    return refuse(`${formatPath(path)} comes from a variable or a loop: change it there`);
  }
  const into = map.tag === ARGV ? addToArguments : addToCommand;
  return into(text, map, path, value, neighbor);
}

/** Adds an item behind the last one of a list. */
function addItem(text: string, list: YamlNode, { path, value }: NewKey): EditResult {
  const last = list.kind === 'sequence' ? list.items.at(-1) : undefined;
  if (list.kind !== 'sequence' || !last || list.items.length !== path.at(-1)) {
    return refuse(`${formatPath(path.slice(0, -1))} is not a list to add to`);
  }
  const item = scalarText(value, 'double-if-needed');
  if (list.flow) return edit({ start: last.span.end, end: last.span.end }, `, ${quotedAs(last, item)}`);
  const start = text.slice(lineStart(text, last.span.start), last.span.start);
  if (!/^ *- +$/.test(start)) return refuse('the list does not stand on lines of its own');
  const at = lineEnd(text, lastText(text, last));
  return edit({ start: at, end: at }, eolOf(text) + start + quotedAs(last, item));
}

/** JSON quotes words, as its other items show. */
const quotedAs = (last: YamlNode, item: string): string =>
  last.kind === 'scalar' && last.style === 'double' && !item.startsWith('"') ? JSON.stringify(item) : item;

const whole = (path: YamlPath): string => formatPath(path) || 'the root of the file';

/** True for an entry that `graft` added to the tree; it is not in the text. */
export const isGrafted = ({ keySpan, from }: Entry): boolean =>
  keySpan.start === keySpan.end && from === undefined;

/** The node at a path in the text. */
export function findInText(document: YamlDocument, path: YamlPath): Found | null {
  const way = path.map((_, depth) => find(document.root, path.slice(0, depth + 1))?.entry);
  return way.some(entry => entry && isGrafted(entry)) ? null : find(document.root, path);
}

/** The deepest existing mapping on a path, and its depth. */
export function nearestMap(document: YamlDocument, path: YamlPath): [MapNode | null, number] {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const at = resolve(findInText(document, path.slice(0, depth))?.node ?? null);
    if (at) return [at.kind === 'map' ? at : null, depth];
  }
  return [null, 0];
}

/** A new key, or an item of a new list (no key): with its value, or with what is below it. */
interface Branch {
  readonly key: string | null;
  readonly value: ScalarValue | readonly Branch[];
}

/** A key with what it is to hold. */
interface KeyWithValue {
  readonly path: YamlPath;
  readonly value: Branch['value'];
}

const isSection = (value: Branch['value']): value is readonly Branch[] => Array.isArray(value);

function branchesOf(keys: readonly KeyWithValue[]): readonly Branch[] {
  const names = [...new Set(keys.map(({ path }) => String(path[0])))];
  return names.map(key => {
    const here = keys.filter(({ path }) => String(path[0]) === key);
    const leaf = here.findLast(({ path }) => path.length === 1);
    const below = here.map(({ path, value }) => ({ path: path.slice(1), value }));
    return { key, value: leaf ? leaf.value : branchesOf(below) };
  });
}

/** New keys in flow style: `{a: 1, b: {c: 2}}`. */
export function newKeysText(keys: readonly NewKey[]): string {
  return `{${flowText(branchesOf(keys), false)}}`;
}

function flowText(branches: readonly Branch[], isJson: boolean): string {
  const text = ({ key, value }: Branch): string => {
    const name = key === null ? '' : `${isJson ? JSON.stringify(key) : key}: `;
    const isList = isSection(value) && value[0]?.key === null;
    if (isSection(value)) {
      return `${name}${isList ? '[' : '{'}${flowText(value, isJson)}${isList ? ']' : '}'}`;
    }
    return `${name}${isJson ? JSON.stringify(value) : scalarText(value, 'double-if-needed')}`;
  };
  return branches.map(text).join(', ');
}

/** A key in double quotes means JSON: numbers are not quoted, strings are. */
export const isJsonKey = (text: string, { keySpan }: Entry): boolean => text[keySpan.start] === '"';

function addToFlow(
  text: string,
  map: MapNode,
  branches: readonly Branch[],
  neighbor: Entry | undefined,
): EditResult {
  if (!neighbor && map.entries.some(({ merged }) => merged)) {
    return refuse('the mapping has keys of another one only');
  }
  const json = neighbor ? isJsonKey(text, neighbor) : text.trimStart().startsWith('{');
  const at = neighbor ? neighbor.value.span.end : map.span.start + 1;
  const before = neighbor ? `,${lineOfItsOwn(text, neighbor) ?? ' '}` : '';
  return edit({ start: at, end: at }, `${before}${flowText(branches, json)}`);
}

/** The line break and indentation before a key that begins its line; null if it follows another key. */
function lineOfItsOwn(text: string, { keySpan }: Entry): string | null {
  const first = lineStart(text, keySpan.start);
  const indent = text.slice(first, keySpan.start);
  return first > 0 && indent.trim() === '' ? eolOf(text) + indent : null;
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function addToBlock(
  text: string,
  branches: readonly Branch[],
  neighbor: Entry | undefined,
  indentation: number,
): EditResult {
  if (!neighbor) return refuse('there is no neighboring key');
  const first = lineStart(text, neighbor.keySpan.start);
  const indent = text.slice(first, neighbor.keySpan.start);
  // `- key: value`: the key's column is the indentation, the dash does not repeat.
  if (!/^[ ]*(- +)*$/.test(indent)) return refuse('the mapping does not stand on lines of its own');
  const at = lineEnd(text, Math.max(neighbor.keySpan.end, lastText(text, neighbor.value)));
  const eol = eolOf(text);
  const lines = blockLines(branches, indent.length, indentation);
  return edit({ start: at, end: at }, eol + lines.join(eol));
}

function blockLines(branches: readonly Branch[], column: number, indentation: number): readonly string[] {
  return branches.flatMap(({ key, value }) => {
    const name = `${' '.repeat(column)}${key === null ? '-' : `${key}:`}`;
    if (isSection(value)) return [name, ...blockLines(value, column + indentation, indentation)];
    return [`${name} ${scalarText(value, 'double-if-needed')}`];
  });
}

const USUAL_INDENTATION = 2;

/** The indentation of the file's first section relative to its key. */
function indentOf(text: string, { root }: YamlDocument): number {
  const column = ({ keySpan }: Entry): number => keySpan.start - lineStart(text, keySpan.start);
  if (root?.kind !== 'map') return USUAL_INDENTATION;
  for (const entry of root.entries) {
    const { value } = entry;
    const [first] = value.kind === 'map' && !value.flow && !entry.merged ? value.entries : [];
    if (first && !first.merged && column(first) > column(entry)) return column(first) - column(entry);
  }
  return USUAL_INDENTATION;
}

/** The end of a value's own text: a block scalar's range includes the newline after it. */
function lastText(text: string, node: YamlNode): number {
  let end = node.span.end;
  while (end > node.span.start && /\s/.test(text[end - 1] ?? '')) end--;
  return end;
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
