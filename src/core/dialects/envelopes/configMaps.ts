import { dirname, join } from '../../text/paths';
import type { MapNode, YamlFile, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { Located } from '../../text/located';
import type { EnvironmentEntry } from '../command/job';
import { documentIn, located } from '../command/located';
import { entriesOf, itemsOf, nodeAt, textAt } from '../command/nodes';
import type { Layer, NearbyFiles } from '../engine/compose';
import { layerOfDocument } from '../engine/settings';
import { environmentMap } from './environment';
import { generatedFiles, generatedVariables } from './kustomize';

/** Manifests beside one in which its config maps are looked for. */
const MOST_FILES = 40;

/** The variables that a container's `envFrom` takes from config maps of its file, its folder, or a kustomization. */
export async function givenBy(
  envFrom: YamlNode | null,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly EnvironmentEntry[]> {
  const all: EnvironmentEntry[] = [];
  for (const item of itemsOf(envFrom)) {
    const name = textAt(item, 'configMapRef', 'name');
    if (name !== null) all.push(...(await variablesIn(name, opened, files)));
  }
  return all;
}

/** The variables of a container's `env` that keys of config maps state: `valueFrom: {configMapKeyRef: {name, key}}`. */
export async function referredBy(
  env: YamlNode | null,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly EnvironmentEntry[]> {
  const all: EnvironmentEntry[] = [];
  for (const item of itemsOf(env)) {
    const reference = nodeAt(item, 'valueFrom', 'configMapKeyRef');
    const [variable, name, key] = [textAt(item, 'name'), textAt(reference, 'name'), textAt(reference, 'key')];
    if (variable === null || name === null) continue;
    const found = (await variablesIn(name, opened, files)).find(entry => entry.name === key);
    if (found) all.push({ ...found, name: variable });
  }
  return all;
}

async function variablesIn(
  name: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly EnvironmentEntry[]> {
  const found = await mapNamed(name, opened, files);
  if (!found) return generatedVariables(name, opened.path, files);
  const { owner, map } = found;
  const entries = environmentMap(nodeAt(map, 'data'), ['data'], owner.yaml.text);
  return owner.path === opened.path ? entries : entries.map(entry => ({ ...entry, owner }));
}

/** A config map of a file, or of a manifest beside it. */
async function mapNamed(
  name: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<{ readonly owner: Layer; readonly map: MapNode } | null> {
  const own = mapIn(opened.yaml, name);
  if (own) return { owner: opened, map: own };
  const folder = dirname(opened.path);
  const manifests = (await files.list(folder)).filter(one => /\.ya?ml$/.test(one)).slice(0, MOST_FILES);
  for (const path of manifests.map(one => join(folder, one)).filter(one => one !== opened.path)) {
    const yaml = await files.read(path);
    const map = yaml && mapIn(yaml, name);
    if (yaml && map) return { owner: { path, yaml, document: 0, mount: null }, map };
  }
  return null;
}

/** A file that a container sees: a file of the project, or a text of a config map in a manifest. */
export interface MountedFile {
  readonly layer: Layer;
  readonly text: Located | null;
}

/** The files of config maps that a container sees, by their paths in it. */
export async function mountedBy(
  container: YamlNode,
  pod: YamlNode | null,
  opened: Layer,
  files: NearbyFiles,
): Promise<ReadonlyMap<string, MountedFile>> {
  const all = new Map<string, MountedFile>();
  for (const mount of itemsOf(nodeAt(container, 'volumeMounts'))) {
    const volume = itemsOf(nodeAt(pod, 'volumes')).find(one => textAt(one, 'name') === textAt(mount, 'name'));
    const name = textAt(volume, 'configMap', 'name');
    const [at, only] = [textAt(mount, 'mountPath'), textAt(mount, 'subPath')];
    if (name === null || at === null) continue;
    for (const [key, file] of await filesOf(name, opened, files)) {
      if (only === null) all.set(join(at, key), file);
      else if (only === key) all.set(at, file);
    }
  }
  return all;
}

/** The contents of a config map by their keys. */
async function filesOf(
  name: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly (readonly [key: string, file: MountedFile])[]> {
  const found = await mapNamed(name, opened, files);
  if (found) {
    const { owner, map } = found;
    return entriesOf(nodeAt(map, 'data')).flatMap(({ key, value }) => {
      const at = resolve(value);
      const text = at?.kind === 'scalar' ? located(at, owner.yaml.text) : null;
      return text ? [[key, { layer: owner, text }] as const] : [];
    });
  }
  const all: (readonly [key: string, file: MountedFile])[] = [];
  for (const [key, path] of await generatedFiles(name, opened.path, files)) {
    const yaml = await files.read(path);
    if (yaml) all.push([key, { layer: { path, yaml, document: 0, mount: null }, text: null }]);
  }
  return all;
}

/** A config that a container sees. */
export function mountedConfig(file: MountedFile | undefined): Layer | null {
  if (!file?.text) return file?.layer ?? null;
  const [start = 0] = file.text.at;
  const document = documentIn(file.text, { start, end: file.text.at.at(-1) ?? start });
  return document && layerOfDocument(file.layer, document, null);
}

function mapIn({ documents }: YamlFile, name: string): MapNode | null {
  const roots = documents.map(({ root }) => (root ? resolve(root) : null));
  const found = roots.find(
    root => textAt(root, 'kind') === 'ConfigMap' && textAt(root, 'metadata', 'name') === name,
  );
  return found?.kind === 'map' ? found : null;
}
