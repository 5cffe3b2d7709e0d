import type { Entry, MapNode, YamlNode } from './node';

/** Keys and indices from a document's root: `['trainer', 'devices']`, `['datasets', 0, 'path']`. */
export type YamlPath = readonly (string | number)[];

/** `a.b[0].c`; a key with a dot, bracket or quote is written `["a.b"]`. */
export function formatPath(path: YamlPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/[.[\]"]/.test(part) || part === '') text += `[${JSON.stringify(part)}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** Parses `a.b[0]` and `["a.b"]`. */
export function parsePath(text: string): YamlPath {
  // Most paths have no brackets.
  if (!/[[\]]/.test(text)) return text.split('.').filter(key => key !== '');
  const path: (string | number)[] = [];
  for (const [, key, index, quoted] of text.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (quoted !== undefined) path.push(String(JSON.parse(quoted)));
    else path.push(index === undefined ? (key ?? '') : Number(index));
  }
  return path;
}

/** The target of an alias; other nodes unchanged. Null for an alias without a target. */
export function resolve(node: YamlNode | null): Exclude<YamlNode, { kind: 'alias' }> | null {
  for (let at = node, hops = 0; at && hops < 16; hops++) {
    if (at.kind !== 'alias') return at;
    at = at.target;
  }
  return null;
}

/** From so many entries on, an index is faster than a look at each. */
const MANY_ENTRIES = 8;

/** Entries by key of the mappings that were asked: trees are never changed, and dialects and rules ask hundreds of times. */
const indexes = new WeakMap<MapNode, ReadonlyMap<string, Entry>>();

/** The entry of a mapping, or null. */
export function entryOf(map: MapNode, key: string): Entry | null {
  const { entries } = map;
  if (entries.length < MANY_ENTRIES) return entries.find(entry => entry.key === key) ?? null;
  let index = indexes.get(map);
  if (index === undefined) {
    // Of equal keys the first one, as in a search.
    index = new Map(entries.map(entry => [entry.key, entry] as const).toReversed());
    indexes.set(map, index);
  }
  return index.get(key) ?? null;
}

/** The result of a path: the value, its entry (null for list items), and the mapping around it. */
export interface Found {
  readonly node: YamlNode;
  readonly entry: Entry | null;
  readonly parent: MapNode | null;
}

/** Follows a path through maps, sequences and aliases. */
export function find(root: YamlNode | null, path: YamlPath): Found | null {
  let found: Found | null = root && { node: root, entry: null, parent: null };
  for (const part of path) {
    const at = found && resolve(found.node);
    if (at?.kind === 'map') {
      const entry = entryOf(at, String(part));
      found = entry && { node: entry.value, entry, parent: at };
    } else if (at?.kind === 'sequence' && typeof part === 'number') {
      const item = at.items[part];
      found = item ? { node: item, entry: null, parent: null } : null;
    } else return null;
  }
  return found;
}
