import type { Entry, MapNode, ScalarNode, ScalarValue, YamlNode } from './node';
import type { YamlPath } from './path';
import { scalarText } from './scalarText';

/**
 * The tree as it would be read after `setKey` set a path to a scalar: everything else is the same node as before. A
 * new node stands where the old one stood; new keys stand at the end of their mapping.
 */
export function graft(root: YamlNode, path: YamlPath, value: ScalarValue): YamlNode {
  const [key, ...rest] = path;
  if (key === undefined) return scalar(root, value);
  if (root.kind === 'sequence' && typeof key === 'number') {
    return { ...root, items: root.items.map((item, i) => (i === key ? graft(item, rest, value) : item)) };
  }
  return root.kind === 'map' ? intoMap(root, String(key), rest, value) : root;
}

function intoMap(map: MapNode, key: string, rest: YamlPath, value: ScalarValue): MapNode {
  const old = map.entries.find(entry => entry.key === key && !entry.merged);
  const at = old?.value ?? emptyMap(map);
  const entry: Entry = {
    key,
    keySpan: old?.keySpan ?? { start: map.span.end, end: map.span.end },
    value: graft(at, rest, value),
    merged: false,
  };
  const others = map.entries.filter(other => other.key !== key);
  if (!old) return { ...map, entries: [...others, entry] };
  return { ...map, entries: map.entries.map(other => (other === old ? entry : other)) };
}

const emptyMap = ({ span }: MapNode): MapNode => ({
  kind: 'map',
  entries: [],
  flow: false,
  tag: null,
  span: { start: span.end, end: span.end },
  anchor: null,
});

function scalar(old: YamlNode, value: ScalarValue): ScalarNode {
  const kept =
    old.kind === 'scalar' && (old.style === 'single' || old.style === 'double') ? old.style : 'plain';
  const source = scalarText(value, kept);
  const style = source.startsWith('"') ? 'double' : source.startsWith("'") ? 'single' : 'plain';
  // What is quoted is text, a number too.
  const read = style === 'plain' ? value : String(value);
  return { kind: 'scalar', value: read, source, style, opaque: null, span: old.span, anchor: old.anchor };
}
