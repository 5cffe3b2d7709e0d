import type { Span } from '../../text/span';
import { edit, refuse } from '../../text/textEdit';
import type { EditResult } from '../../text/textEdit';
import { findInText, nearestMap } from '../insert';
import type { NewKey } from '../insert';
import type { Entry, MapNode, ScalarValue, YamlDocument, YamlNode, ScalarNode } from '../node';
import { formatPath } from '../path';
import type { YamlPath } from '../path';

/** The range of a TOML integer: 64 bits, signed. */
const MOST = 2n ** 63n - 1n;

/** A value as TOML text, in the style of the value that it replaces; null: TOML has no such value. */
export function tomlText(value: ScalarValue, old: ScalarNode | null = null): string | null {
  if (value === null) return null;
  if (old?.style === 'single' && !/['\n\r]/.test(String(value))) return `'${plain(value)}'`;
  if (typeof value === 'string' || (old !== null && old.style !== 'plain')) return quoted(plain(value));
  if (typeof value === 'boolean') return String(value);
  return numberText(value, typeof old?.value === 'number' && isFloat(old.source));
}

const plain = (value: string | number | boolean): string =>
  typeof value === 'number' ? numberText(value, false) : String(value);

const isFloat = (source: string): boolean => !/^0[xob]/.test(source) && /[.eE]|inf|nan/.test(source);

/** A number as it is: also −0, what is not finite, and integers beyond 2⁵³, with all digits. */
function numberText(value: number, asFloat: boolean): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isInteger(value)) return String(value);
  const digits = BigInt(value);
  const isInteger = digits <= MOST && digits >= -MOST - 1n;
  if (isInteger && !asFloat) return String(digits);
  const short = String(value);
  return short.includes('e') ? short : `${short}.0`;
}

/** JSON's strings are TOML's basic strings, but for one character. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);

/** A key as TOML writes it. */
export const tomlKey = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name));

/**
 * Sets keys of a TOML text with one edit that changes nothing else: replaces a value in its style, or adds lines to
 * the table that has the key, to an inline table, or to a new table at the end of the file. Several keys must be new
 * and `togetherIn` the same section. Refuses, with the reason, if TOML has no such value or place.
 */
export function setTomlKeys(
  text: string,
  document: YamlDocument,
  keys: readonly NewKey[],
  after: string | null,
): EditResult {
  const none = keys.find(({ value }) => value === null);
  if (none) return refuse(`${formatPath(none.path)} would be null, which TOML does not have`);
  const [first] = keys;
  if (!first) return refuse('there is no key');
  const found = findInText(document, first.path);
  if (found) return replaced(found.node, first);
  const index = first.path.at(-1);
  if (typeof index !== 'number') return added(text, document, keys, after);
  const path = first.path.slice(0, -1);
  const list = findInText(document, path)?.node;
  if (list) return withItem(text, list, first);
  if (index > 0) return refuse(`${formatPath(path)} is not there`);
  return added(text, document, [{ path, value: first.value }], after, true);
}

function replaced(node: YamlNode, { path, value }: NewKey): EditResult {
  if (node.kind !== 'scalar') return refuse(`${formatPath(path)} holds a ${node.kind}, not a single value`);
  if (node.style === 'literal' || node.style === 'folded') {
    return refuse(`${formatPath(path)} is a block of text`);
  }
  return edit(node.span, tomlText(value, node) ?? '');
}

/** Adds an item behind the last one of a list, on a line of its own where that one is. */
function withItem(text: string, list: YamlNode, { path, value }: NewKey): EditResult {
  const last = list.kind === 'sequence' ? list.items.at(-1) : undefined;
  if (list.kind !== 'sequence' || !list.flow || !last || list.items.length !== path.at(-1)) {
    return refuse(`${formatPath(path.slice(0, -1))} is not a list to add to`);
  }
  const start = lineStart(text, last.span.start);
  const indent = text.slice(start, last.span.start);
  const isAlone = indent.trim() === '' && start > list.span.start;
  const gap = isAlone ? eolOf(text) + indent : ' ';
  const item = tomlText(value, last.kind === 'scalar' && typeof value === 'string' ? last : null) ?? '';
  return edit({ start: last.span.end, end: last.span.end }, `,${gap}${item}`);
}

function added(
  text: string,
  document: YamlDocument,
  keys: readonly NewKey[],
  after: string | null,
  isList = false,
): EditResult {
  const path = keys[0]?.path ?? [];
  const [map, depth] = nearestMap(document, path);
  const whole = formatPath(path.slice(0, depth)) || 'the root of the file';
  if (map?.table === undefined) return refuse(`${whole} is not a table`);
  const taken = map.entries.find(({ key }) => key === String(path[depth]));
  const isInList = path.slice(depth).some(part => typeof part === 'number');
  if (taken || isInList) return refuse(`${formatPath(path.slice(0, depth + 1))} has no table to add to`);
  const section = path.slice(0, depth);
  if (map.table.kind === 'inline') return intoInline(map, linesOf(keys, depth, [], isList), after);
  const isSection = path.length > depth + 1;
  const hasPlace = map.table.kind !== 'dotted' && section.every(part => typeof part === 'string');
  if (isSection && hasPlace) {
    const below = path.slice(0, depth + 1);
    return asSection(text, below, linesOf(keys, depth + 1, [], isList));
  }
  if (map.table.kind !== 'implicit') {
    return intoTable(text, document, { map, section }, linesOf(keys, depth, map.table.prefix, isList), after);
  }
  if (!hasPlace) return refuse(`${whole} has no header`);
  return asSection(text, section, linesOf(keys, depth, [], isList));
}

/** `a.b = 1` for each key, without the parts that its table has. */
function linesOf(
  keys: readonly NewKey[],
  depth: number,
  prefix: readonly string[],
  isList: boolean,
): readonly string[] {
  return keys.map(({ path, value }) => {
    const name = [...prefix, ...path.slice(depth)].map(part => tomlKey(String(part))).join('.');
    return `${name} = ${valueText(value, isList)}`;
  });
}

function valueText(value: ScalarValue, isList: boolean): string {
  const text = tomlText(value) ?? '';
  return isList ? `[${text}]` : text;
}

function intoInline(map: MapNode, lines: readonly string[], after: string | null): EditResult {
  const last = lastOf(map, after);
  if (last) return edit(at(last.value.span.end), `, ${lines.join(', ')}`);
  return edit({ start: map.span.start + 1, end: map.span.end - 1 }, ` ${lines.join(', ')} `);
}

/** The entry after which a new one stands: the named one, otherwise the last in the text. */
function lastOf({ entries }: MapNode, after: string | null): Entry | undefined {
  const own = entries
    .filter(entry => entry.keySpan.end > entry.keySpan.start && isInLines(entry.value))
    .sort((a, b) => a.value.span.end - b.value.span.end);
  return own.find(({ key }) => key === after) ?? own.at(-1);
}

/** False for what has headers of its own. */
function isInLines(node: YamlNode): boolean {
  const first = node.kind === 'sequence' && !node.flow ? node.items[0] : node;
  return first?.kind !== 'map' || first.table?.kind === 'inline' || first.table?.kind === 'dotted';
}

function intoTable(
  text: string,
  document: YamlDocument,
  { map, section }: { readonly map: MapNode; readonly section: YamlPath },
  lines: readonly string[],
  after: string | null,
): EditResult {
  const eol = eolOf(text);
  const neighbor = lastOf(map, after);
  const above = neighbor ? neighbor.keySpan : map.table?.header;
  if (!above) return atTop(text, document, lines);
  const from = lineStart(text, above.start);
  const indent = /^[ \t]*/.exec(text.slice(from, above.start))?.[0] ?? '';
  const end = lineEnd(text, neighbor ? neighbor.value.span.end : above.end);
  if (neighbor === undefined && map.table?.kind === 'dotted') {
    return refuse(`${formatPath(section)} has no line of its own`);
  }
  return edit(at(end), lines.map(line => eol + indent + line).join(''));
}

/** Keys of a file that has tables only stand before the first header and the comments on it. */
function atTop(text: string, { root }: YamlDocument, lines: readonly string[]): EditResult {
  const eol = eolOf(text);
  const headers = root ? headersIn(root) : [];
  const first = Math.min(...headers.map(({ start }) => start));
  if (headers.length === 0) {
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    return edit(at(text.length), gap + lines.join(eol) + (gap === '' ? eol : ''));
  }
  let start = lineStart(text, first);
  while (start > 0) {
    const before = lineStart(text, start - 1);
    if (!text.slice(before, start).trimStart().startsWith('#')) break;
    start = before;
  }
  return edit(at(start), `${lines.join(eol)}${eol}${eol}`);
}

function headersIn(node: YamlNode): readonly Span[] {
  if (node.kind === 'sequence') return node.items.flatMap(headersIn);
  if (node.kind !== 'map') return [];
  const own = node.table?.header;
  return [...(own ? [own] : []), ...node.entries.flatMap(({ value }) => headersIn(value))];
}

/** A new table at the end of the file. */
function asSection(text: string, section: YamlPath, lines: readonly string[]): EditResult {
  const eol = eolOf(text);
  const header = `[${section.map(part => tomlKey(String(part))).join('.')}]`;
  const isEnded = text === '' || text.endsWith('\n');
  const gap = text === '' ? '' : isEnded ? eol : eol + eol;
  return edit(at(text.length), gap + [header, ...lines].join(eol) + (isEnded ? eol : ''));
}

const at = (offset: number): Span => ({ start: offset, end: offset });

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
