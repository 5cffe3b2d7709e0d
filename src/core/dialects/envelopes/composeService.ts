import { dirname, join } from '../../text/paths';
import type { YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import { nodeAt, entriesOf, rootOf, textAt } from '../command/nodes';
import type { Layer, NearbyFiles } from '../engine/compose';
import { placeOfKey } from '../engine/layers';
import { addNote } from '../engine/note';
import type { Note } from '../engine/note';

/** A service's definition in one file. */
export interface ServicePart {
  readonly layer: Layer;
  readonly path: YamlPath;
  readonly node: YamlNode;
}

/** A service with those that it extends and its overlays: later parts win (compose-spec, 13-merge.md). */
export interface Service {
  readonly name: string;
  readonly parts: readonly ServicePart[];
}

/** Limit of a chain of services that extend each other; real ones have two or three. */
const FURTHEST = 8;

/** The services of merged files, in the order in which they are named. */
export async function servicesOf(
  layers: readonly Layer[],
  files: NearbyFiles,
  notes: Note[],
): Promise<readonly Service[]> {
  const services = new Map<string, ServicePart[]>();
  for (const layer of layers) {
    for (const { key, value } of entriesOf(nodeAt(rootOf(layer), 'services'))) {
      const part = { layer, path: ['services', key], node: value };
      const all = await withExtended(part, files, notes, []);
      services.set(key, [...(services.get(key) ?? []), ...all]);
    }
  }
  return [...services].map(([name, parts]) => ({ name, parts }));
}

/** A part preceded by those that it extends, from its own file or another. */
async function withExtended(
  part: ServicePart,
  files: NearbyFiles,
  notes: Note[],
  chain: readonly string[],
): Promise<readonly ServicePart[]> {
  const { layer, node, path } = part;
  const name = textAt(node, 'extends') ?? textAt(node, 'extends', 'service');
  if (name === null || chain.length >= FURTHEST) return [part];
  const at = placeOfKey(layer, [...path, 'extends']);
  const file = textAt(node, 'extends', 'file');
  const other = file === null ? layer : await layerAt(join(dirname(layer.path), file), files);
  if (other === null) {
    const message = `extends names ${file ?? ''}, which is missing.`;
    if (at) addNote(notes, { code: 'missing-file', at, message });
    return [part];
  }
  const next = `${other.path}#${name}`;
  if (chain.includes(next) || next === `${layer.path}#${String(path[1])}`) {
    const message = `extends names ${name}, which extends this service itself: reading never ends.`;
    if (at) addNote(notes, { code: 'circular-files', at, message });
    return [part];
  }
  const base = nodeAt(rootOf(other), 'services', name);
  if (!base) return [part];
  const inner = { layer: other, path: ['services', name], node: base };
  const own = `${layer.path}#${String(path[1])}`;
  return [...(await withExtended(inner, files, notes, [...chain, own])), part];
}

async function layerAt(path: string, files: NearbyFiles): Promise<Layer | null> {
  const yaml = await files.read(path);
  return yaml?.documents[0]?.root ? { path, yaml, document: 0, mount: null } : null;
}

/** The last part that has a key. */
export const partWith = ({ parts }: Service, ...key: YamlPath): ServicePart | null =>
  parts.findLast(({ node }) => nodeAt(node, ...key) !== null) ?? null;

/** The last value of a key. */
export function valueOf(service: Service, ...key: YamlPath): YamlNode | null {
  const part = partWith(service, ...key);
  return part && nodeAt(part.node, ...key);
}
