import { ARGV } from '../../yaml/node';
import type { Entry, MapNode, YamlDocument, YamlFile } from '../../yaml/node';
import { parseYaml } from '../../yaml/parse';
import type { Plain } from '../../yaml/scalars';
import type { Layer, Setting } from './compose';

/** A mapping of settings; of duplicates the last wins. */
export function mapOf(
  settings: readonly Setting[],
  span: MapNode['span'],
  tag: string | null = ARGV,
): MapNode {
  const map = (entries: readonly Entry[]): MapNode => ({
    kind: 'map',
    entries,
    flow: false,
    tag,
    span,
    anchor: null,
  });
  const placed = (entries: readonly Entry[], setting: Setting): readonly Entry[] => {
    const [key, ...rest] = setting.path.map(String);
    if (key === undefined) return entries;
    const old = entries.find(entry => entry.key === key);
    const inner = old?.value.kind === 'map' ? old.value.entries : [];
    const value = rest.length === 0 ? setting.value : map(placed(inner, { ...setting, path: rest }));
    const fresh = { key, keySpan: setting.keySpan, value, merged: false, from: setting.from };
    return old ? entries.map(entry => (entry === old ? fresh : entry)) : [...entries, fresh];
  };
  return map(settings.reduce(placed, []));
}

/** A mapping as an additional document of a file, so that its spans are positions in the file's text. */
export function layerOf(opened: Layer, root: MapNode, mount: string | null): Layer {
  return layerOfDocument(opened, { index: 0, root, span: root.span, sharedAnchors: new Set() }, mount);
}

/** A document as an additional document of a file. */
export function layerOfDocument(opened: Layer, document: YamlDocument, mount: string | null): Layer {
  const index = opened.yaml.documents.length;
  const yaml: YamlFile = { ...opened.yaml, documents: [...opened.yaml.documents, { ...document, index }] };
  return { path: opened.path, yaml, document: index, mount };
}

/** Keys that a framework has by itself, to lie beneath the user's; `path` says where they stand in it. */
export const shippedLayer = (path: string, keys: Plain, ships: NonNullable<Layer['ships']>): Layer => ({
  path,
  yaml: parseYaml(JSON.stringify(keys)),
  document: 0,
  mount: '',
  ships,
});
