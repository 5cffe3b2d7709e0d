import { dirname, join } from '../../text/paths';
import type { MapNode, YamlFile, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { EnvironmentEntry } from '../command/job';
import { itemsOf, nodeAt, textAt } from '../command/nodes';
import type { Layer, NearbyFiles } from '../engine/compose';
import { environmentMap } from './environment';

/** Manifests beside one in which its config maps are looked for. */
const MOST_FILES = 40;

/** The variables that a container's `envFrom` takes from config maps of its file or its folder. */
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

async function variablesIn(
  name: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly EnvironmentEntry[]> {
  const own = mapIn(opened.yaml, name);
  if (own) return environmentMap(nodeAt(own, 'data'), ['data'], opened.yaml.text);
  const folder = dirname(opened.path);
  const manifests = (await files.list(folder)).filter(one => /\.ya?ml$/.test(one)).slice(0, MOST_FILES);
  for (const path of manifests.map(one => join(folder, one)).filter(one => one !== opened.path)) {
    const yaml = await files.read(path);
    const found = yaml && mapIn(yaml, name);
    if (!yaml || !found) continue;
    const owner = { path, yaml, document: 0, mount: null };
    return environmentMap(nodeAt(found, 'data'), ['data'], yaml.text).map(entry => ({ ...entry, owner }));
  }
  return [];
}

function mapIn({ documents }: YamlFile, name: string): MapNode | null {
  const roots = documents.map(({ root }) => (root ? resolve(root) : null));
  const found = roots.find(
    root => textAt(root, 'kind') === 'ConfigMap' && textAt(root, 'metadata', 'name') === name,
  );
  return found?.kind === 'map' ? found : null;
}
