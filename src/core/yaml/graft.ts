import { isJsonKey } from './insert';
import type { Entry, MapNode, ScalarNode, ScalarValue, SequenceNode, YamlNode } from './node';
import type { YamlPath } from './path';
import { scalarText } from './scalarText';

/**
 * The tree as it would be read after `setKey` set a path of this text to a scalar: everything else is the same node
 * as before. A new node stands where the old one stood; new keys stand at the end of their mapping, a new item at the end of its list.
 */
export function graft(text: string, root: YamlNode, path: YamlPath, value: ScalarValue): YamlNode {
  const [key, ...rest] = path;
  if (key === undefined) return scalar(root, value);
  if (root.kind === 'sequence' && typeof key === 'number') {
    const items = key === root.items.length ? [...root.items, emptyMap(root)] : root.items;
    return { ...root, items: items.map((item, i) => (i === key ? graft(text, item, rest, value) : item)) };
  }
  return root.kind === 'map' ? intoMap(text, root, String(key), rest, value) : root;
}

function intoMap(text: string, map: MapNode, key: string, rest: YamlPath, value: ScalarValue): MapNode {
  const old = map.entries.find(entry => entry.key === key && !entry.merged);
  if (!old) {
    const at = { start: map.span.end, end: map.span.end };
    const empty = typeof rest[0] === 'number' ? emptyList(map) : emptyMap(map);
    const fresh: Entry = { key, keySpan: at, value: graft(text, empty, rest, value), merged: false };
    return { ...map, entries: [...map.entries.filter(other => other.key !== key), fresh] };
  }
  const json = rest.length === 0 && isJsonKey(text, old);
  const grown = json ? jsonScalar(old.value, value) : graft(text, old.value, rest, value);
  return { ...map, entries: map.entries.map(entry => (entry === old ? { ...old, value: grown } : entry)) };
}

const emptyAfter = ({ span }: YamlNode) =>
  ({ flow: false, span: { start: span.end, end: span.end }, anchor: null }) as const;

const emptyMap = (node: YamlNode): MapNode => ({ kind: 'map', entries: [], tag: null, ...emptyAfter(node) });

const emptyList = (node: YamlNode): SequenceNode => ({ kind: 'sequence', items: [], ...emptyAfter(node) });

/** JSON quotes strings and nothing else, whatever the previous value was. */
function jsonScalar({ span, anchor }: YamlNode, value: ScalarValue): ScalarNode {
  const style = typeof value === 'string' ? 'double' : 'plain';
  return { kind: 'scalar', value, source: JSON.stringify(value), style, opaque: null, span, anchor };
}

function scalar(old: YamlNode, value: ScalarValue): ScalarNode {
  const kept =
    old.kind === 'scalar' && (old.style === 'single' || old.style === 'double') ? old.style : 'plain';
  const source = scalarText(value, kept);
  const style = source.startsWith('"') ? 'double' : source.startsWith("'") ? 'single' : 'plain';
  // A quoted value is text, even a number.
  const read = style === 'plain' ? value : String(value);
  const exact = old.kind === 'scalar' && old.exact ? { exact: true as const } : {};
  const { span, anchor } = old;
  return { kind: 'scalar', value: read, source, style, opaque: null, span, anchor, ...exact };
}
