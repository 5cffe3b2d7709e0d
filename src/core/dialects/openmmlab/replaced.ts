import type { Composition, Layer } from '../engine/compose';
import type { MapNode, YamlNode } from '../../yaml/node';
import { entryOf, resolve } from '../../yaml/path';

/** Sections of a config that replace those beneath instead of being merged with them (mmengine/config/config.py). */
const REPLACES = '_delete_';
const DEEPEST = 12;

/** The composition without what a section with `_delete_=True` replaces in the files beneath. */
export function withoutReplaced(composition: Composition): Composition {
  const { layers, beneath = [] } = composition;
  const all = [...beneath, ...layers];
  const kept: Layer[] = [];
  let paths: readonly (readonly string[])[] = [];
  for (const layer of all.toReversed()) {
    kept.unshift(paths.length === 0 ? layer : without(layer, paths));
    const root = layer.yaml.documents[layer.document]?.root ?? null;
    paths = [...paths, ...replacedIn(root, [])];
  }
  if (paths.length === 0) return composition;
  return { ...composition, beneath: kept.slice(0, beneath.length) };
}

function replacedIn(node: YamlNode | null, path: readonly string[]): readonly (readonly string[])[] {
  const at = node && resolve(node);
  if (at?.kind !== 'map' || path.length > DEEPEST) return [];
  const own = entryOf(at, REPLACES)?.value;
  if (own?.kind === 'scalar' && own.value === true) return [path];
  return at.entries.flatMap(({ key, value }) => replacedIn(value, [...path, key]));
}

function without(layer: Layer, paths: readonly (readonly string[])[]): Layer {
  const { yaml, document } = layer;
  const documents = yaml.documents.map(one => {
    const root = one.root && resolve(one.root);
    if (one.index !== document || root?.kind !== 'map') return one;
    return { ...one, root: paths.reduce<MapNode>(removed, root) };
  });
  return { ...layer, yaml: { ...yaml, documents } };
}

/** The map without what stands at a path; text and places stay. */
function removed(node: MapNode, [first, ...rest]: readonly string[]): MapNode {
  const entries = node.entries.flatMap(entry => {
    if (entry.key !== first) return [entry];
    const inner = resolve(entry.value);
    if (rest.length === 0) return [];
    return [inner?.kind === 'map' ? { ...entry, value: removed(inner, rest) } : entry];
  });
  return { ...node, entries };
}
