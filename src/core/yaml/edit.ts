import { intoArguments, intoCommand } from './argv';
import { ARGV, ARGV_TEXT } from './node';
import type { Entry, MapNode, ScalarNode, ScalarValue, YamlDocument, YamlNode } from './node';
import type { Found, YamlPath } from './path';
import { entryOf, find, formatPath, resolve } from './path';
import { scalarText } from './scalarText';
import { edit, refuse } from './textEdit';
import type { EditResult } from './textEdit';

/**
 * Sets one key to a scalar with the smallest edit that does it: comments, order, quoting, anchors, indentation,
 * line endings and the final newline stay. A key that is not there is added after `after` (or at the end of its
 * mapping, which is created when missing). Refuses, with the reason, where a small edit would change more than
 * the key that was named.
 */
export function setKey(
  text: string,
  document: YamlDocument,
  path: YamlPath,
  value: ScalarValue,
  after: string | null = null,
): EditResult {
  const found = find(document.root, path);
  const shared = sharedAbove(document, path);
  if (shared !== null) return refuse(`${formatPath(shared)} is shared through an anchor`);
  if (found && !found.entry?.merged) return replace(text, document, found, value, path);
  return insert(text, document, path, value, after);
}

/**
 * The first mapping or list on the way to a path whose text several places share: what an alias stands for, or what
 * an alias elsewhere points to. Null when the path's text is its own.
 */
function sharedAbove(document: YamlDocument, path: YamlPath): YamlPath | null {
  for (let depth = 0; depth < path.length; depth++) {
    const found = find(document.root, path.slice(0, depth));
    if (!found) return null;
    const { node, entry } = found;
    const pointedTo = node.anchor !== null && document.sharedAnchors.has(node.anchor);
    if (node.kind === 'alias' || pointedTo || entry?.merged === true) return path.slice(0, depth);
  }
  return null;
}

function replace(
  text: string,
  document: YamlDocument,
  { node, entry }: Found,
  value: ScalarValue,
  path: YamlPath,
): EditResult {
  // An alias is replaced where it stands; the anchor it points to keeps its value.
  if (node.kind === 'alias') return edit(node.span, scalarText(value, 'plain'));
  if (node.kind !== 'scalar') return refuse(`${formatPath(path)} holds a ${node.kind}, not a single value`);
  if (node.opaque === 'tag') return refuse(`${formatPath(path)} has a tag that only its program understands`);
  if (node.style === 'literal' || node.style === 'folded') {
    return refuse(`${formatPath(path)} is a block of text`);
  }
  if (node.anchor !== null && document.sharedAnchors.has(node.anchor)) {
    return refuse(`${formatPath(path)} is shared through the anchor &${node.anchor}`);
  }
  const written = entry && isJsonKey(text, entry) ? JSON.stringify(value) : scalarText(value, node.style);
  return edit(node.span, spaced(text, node, written));
}

/** A key in double quotes is JSON: there numbers have no quotes and words do. */
export const isJsonKey = (text: string, { keySpan }: Entry): boolean => text[keySpan.start] === '"';

/** An empty value begins right after its colon: it needs the space that a value has. */
function spaced(text: string, node: ScalarNode, written: string): string {
  if (node.source !== '') return written;
  const before = text[node.span.start - 1] ?? '';
  const behind = text[node.span.start] ?? '\n';
  return (before === ' ' ? '' : ' ') + written + (/[\s,}\]]/.test(behind) ? '' : ' ');
}

function insert(
  text: string,
  document: YamlDocument,
  path: YamlPath,
  value: ScalarValue,
  after: string | null,
): EditResult {
  if (path.some(part => typeof part === 'number')) return refuse(`${formatPath(path)} is inside a list`);
  const [map, depth] = nearestMap(document, path);
  const where = formatPath(path.slice(0, depth)) || 'the root of the file';
  if (map === null) return refuse(`${where} is not a mapping`);
  const rest = path.slice(depth);
  if (entryOf(map, String(rest[0]))?.merged === false) {
    return refuse(`${formatPath(path.slice(0, depth + 1))} has no mapping to add to`);
  }
  const entries = map.entries
    .filter(entry => !entry.merged)
    .sort((a, b) => a.keySpan.start - b.keySpan.start);
  const neighbour = entries.find(entry => entry.key === after) ?? entries.at(-1);
  if (map.tag === ARGV) return intoArguments(text, map, path, value, neighbour);
  if (map.tag === ARGV_TEXT) return intoCommand(text, map, path, value, neighbour);
  return map.flow ? intoFlow(text, map, rest, value, neighbour) : intoBlock(text, rest, value, neighbour);
}

/** The deepest mapping on the way to a path, and how many parts of the path lead to it. */
function nearestMap(document: YamlDocument, path: YamlPath): [MapNode | null, number] {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const at = resolve(find(document.root, path.slice(0, depth))?.node ?? null);
    if (at) return [at.kind === 'map' ? at : null, depth];
  }
  return [null, 0];
}

function intoFlow(
  text: string,
  map: MapNode,
  rest: YamlPath,
  value: ScalarValue,
  neighbour: Entry | undefined,
): EditResult {
  const json = neighbour ? isJsonKey(text, neighbour) : text.trimStart().startsWith('{');
  const key = (part: string | number): string => (json ? JSON.stringify(String(part)) : String(part));
  const written = json ? JSON.stringify(value) : scalarText(value, 'double-if-needed');
  const tail = rest.slice(1).reduceRight<string>((inner, part) => `{${key(part)}: ${inner}}`, written);
  const at = neighbour ? neighbour.value.span.end : map.span.start + 1;
  const before = neighbour ? `,${lineOfItsOwn(text, neighbour) ?? ' '}` : '';
  return edit({ start: at, end: at }, `${before}${key(rest[0] ?? '')}: ${tail}`);
}

/** The line break and indentation before a key that begins its line; null for one that follows another. */
function lineOfItsOwn(text: string, { keySpan }: Entry): string | null {
  const first = lineStart(text, keySpan.start);
  const indent = text.slice(first, keySpan.start);
  return first > 0 && indent.trim() === '' ? eolOf(text) + indent : null;
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function intoBlock(
  text: string,
  rest: YamlPath,
  value: ScalarValue,
  neighbour: Entry | undefined,
): EditResult {
  if (!neighbour) return refuse('there is no key to stand beside');
  const first = lineStart(text, neighbour.keySpan.start);
  const indent = text.slice(first, neighbour.keySpan.start);
  // `- key: value`: the key's column counts, the dash does not repeat.
  if (!/^[ ]*(- +)*$/.test(indent)) return refuse('the mapping does not stand on lines of its own');
  const column = ' '.repeat(indent.length);
  const at = lineEnd(text, Math.max(neighbour.keySpan.end, lastText(text, neighbour.value)));
  const eol = eolOf(text);
  const lines = rest.map((key, level) => {
    const value_ = level === rest.length - 1 ? ` ${scalarText(value, 'double-if-needed')}` : '';
    return `${column}${'  '.repeat(level)}${String(key)}:${value_}`;
  });
  return edit({ start: at, end: at }, eol + lines.join(eol));
}

/** Where a value's own text ends: a block scalar's range takes the newline behind it along. */
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
