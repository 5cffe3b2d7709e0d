import { basename, dirname, foldersAbove, join } from '../../text/paths';
import type { MapNode, YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import type { EnvironmentEntry } from '../command/job';
import { itemsOf, nodeAt, rootOf, textAt } from '../command/nodes';
import type { Layer, NearbyFiles } from '../engine/compose';
import { environmentList } from './environment';

/*
 * What Kustomize puts around a manifest (kubernetes-sigs/kustomize, api/konfig/general.go, api/types/kustomization.go): maps
 * of variables and files that it generates, and the resources that a patch changes.
 */

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const FOLDERS = 3;
const MOST_RESOURCES = 40;
const DEEPEST = 4;

async function kustomizationIn(folder: string, files: NearbyFiles): Promise<Layer | null> {
  const present = await files.list(folder);
  const name = NAMES.find(one => present.includes(one));
  const path = join(folder, name ?? '');
  const yaml = name === undefined ? null : await files.read(path);
  return yaml && { path, yaml, document: 0, mount: null };
}

/** Those in the folder of a file and above it. */
async function kustomizationsOver(path: string, files: NearbyFiles): Promise<readonly Layer[]> {
  const found = await Promise.all(foldersAbove(path, FOLDERS).map(folder => kustomizationIn(folder, files)));
  return found.flatMap(layer => layer ?? []);
}

/** A config map that Kustomize generates, and its place. */
interface Generator {
  readonly layer: Layer;
  readonly node: YamlNode;
  readonly path: YamlPath;
}

async function generatorOf(name: string, near: string, files: NearbyFiles): Promise<Generator | null> {
  for (const layer of await kustomizationsOver(near, files)) {
    const items = itemsOf(nodeAt(rootOf(layer), 'configMapGenerator'));
    const i = items.findIndex(item => textAt(item, 'name') === name);
    const node = items[i];
    if (node) return { layer, node, path: ['configMapGenerator', i] };
  }
  return null;
}

/** The variables of a generated config map: `literals`, and files of variables. */
export async function generatedVariables(
  name: string,
  near: string,
  files: NearbyFiles,
): Promise<readonly EnvironmentEntry[]> {
  const generator = await generatorOf(name, near, files);
  if (!generator) return [];
  const { layer, node, path } = generator;
  const literals = environmentList(nodeAt(node, 'literals'), [...path, 'literals'], layer.yaml.text);
  const listed = [nodeAt(node, 'env'), ...itemsOf(nodeAt(node, 'envs'))].flatMap(one => textAt(one) ?? []);
  const all = literals.map(entry => ({ ...entry, owner: layer }));
  for (const file of listed) {
    const at = join(dirname(layer.path), file);
    const yaml = await files.read(at);
    if (yaml) all.push(...linesOf({ path: at, yaml, document: 0, mount: null }));
  }
  return all;
}

const LINE = /^([A-Za-z_]\w{0,200})=(.*)$/gm;

/** `NAME=value` in lines of a file. */
function linesOf(owner: Layer): (EnvironmentEntry & { readonly owner: Layer })[] {
  return [...owner.yaml.text.matchAll(LINE)].map(({ 1: name = '', 2: value = '', index }) => {
    const start = index + name.length + 1;
    const text = value.trim();
    const word = { text, span: { start, end: start + text.length }, open: false, inText: false };
    return { name, node: null, word, owner, from: [name], keySpan: { start: index, end: start - 1 } };
  });
}

/** The files of a generated config map, by their keys. */
export async function generatedFiles(
  name: string,
  near: string,
  files: NearbyFiles,
): Promise<ReadonlyMap<string, string>> {
  const generator = await generatorOf(name, near, files);
  const listed = itemsOf(nodeAt(generator?.node, 'files')).flatMap(item => textAt(item) ?? []);
  return new Map(
    listed.map(item => {
      const equals = item.indexOf('=');
      const file = item.slice(equals + 1);
      const key = equals < 0 ? basename(file) : item.slice(0, equals);
      return [key, join(dirname(generator?.layer.path ?? ''), file)];
    }),
  );
}

/** The resource that a file patches, in its own file; null: it is no patch, or the resource is not there. */
export async function patchedBy(opened: Layer, files: NearbyFiles): Promise<Layer | null> {
  const root = rootOf(opened);
  if (!root) return null;
  for (const layer of await kustomizationsOver(opened.path, files)) {
    if (!patches(layer, opened.path)) continue;
    const resources = await resourcesOf(layer, files, 0);
    const found = resources.find(one => one.path !== opened.path && isSame(rootOf(one), root));
    if (found) return found;
  }
  return null;
}

function patches(kustomization: Layer, path: string): boolean {
  const root = rootOf(kustomization);
  const listed = [
    ...itemsOf(nodeAt(root, 'patches')).map(item => textAt(item, 'path')),
    ...itemsOf(nodeAt(root, 'patchesStrategicMerge')).map(item => textAt(item)),
  ];
  const folder = dirname(kustomization.path);
  return listed.some(one => one !== null && join(folder, one) === path);
}

const isSame = (one: MapNode | null, other: MapNode): boolean =>
  [['kind'], ['metadata', 'name']].every(path => textAt(one, ...path) === textAt(other, ...path));

/** The documents of the resources that a kustomization lists, those of other kustomizations included. */
async function resourcesOf(
  kustomization: Layer,
  files: NearbyFiles,
  depth: number,
): Promise<readonly Layer[]> {
  const root = rootOf(kustomization);
  const listed = ['resources', 'bases', 'components'].flatMap(key => itemsOf(nodeAt(root, key)));
  const found: Layer[] = [];
  for (const item of listed.slice(0, MOST_RESOURCES)) {
    const path = join(dirname(kustomization.path), textAt(item) ?? '');
    const isFile = /\.ya?ml$/.test(path);
    const yaml = isFile ? await files.read(path) : null;
    const inner = isFile || depth >= DEEPEST ? null : await kustomizationIn(path, files);
    found.push(
      ...(yaml?.documents ?? []).map(({ index }) => ({ path, yaml, document: index, mount: null }) as Layer),
    );
    if (inner) found.push(...(await resourcesOf(inner, files, depth + 1)));
    if (found.length > MOST_RESOURCES) break;
  }
  return found;
}
