import { basename, dirname, join } from '../../text/paths';
import type { YamlNode } from '../../yaml/node';
import { nodeAt, entriesOf, rootOf } from '../command/nodes';
import type { Variables } from '../command/shellValues';
import type { Layer, NearbyFiles } from '../engine/compose';

/**
 * File names that `docker compose` looks for, and their overrides, in order of preference (compose-go,
 * cli/options.go).
 */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const OVERRIDES = NAMES.map(name => name.replace('.y', '.override.y'));

/** Variables for `${A}` from the folder's `.env` file (docs.docker.com/compose/how-tos/environment-variables). */
export async function envFileVariables({ path }: Layer, files: NearbyFiles): Promise<Variables> {
  const yaml = await files.read(join(dirname(path), '.env'));
  const lines = [...(yaml?.text ?? '').matchAll(/^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/gm)];
  return new Map(lines.map(([, name = '', value = '']) => [name, plainValue(value)]));
}

/** A value without its quotes, and without a comment behind it (docs.docker.com, compose env file syntax). */
function plainValue(written: string): string {
  const value = written.trim();
  const [, , quoted] = /^(['"])([^'"]*)\1(?:\s+#.*)?$/.exec(value) ?? [];
  return quoted ?? value.replace(/(?:^|\s)#.*$/, '').trimEnd();
}

/**
 * The files that are merged with the opened one, later ones win: those of COMPOSE_FILE, else the default name and
 * its override. A file with another name whose services have no image is an overlay of the default one.
 */
export async function composeFiles(
  opened: Layer,
  variables: Variables,
  files: NearbyFiles,
): Promise<readonly Layer[]> {
  const folder = dirname(opened.path);
  const listed = variables.get('COMPOSE_FILE')?.split(variables.get('COMPOSE_PATH_SEPARATOR') ?? ':') ?? [];
  const paths = listed.map(name => join(folder, name));
  if (paths.includes(opened.path)) return foundFiles(paths, opened, files);
  const present = new Set(await files.list(folder));
  const usual = NAMES.find(name => present.has(name));
  const override = OVERRIDES.find(name => present.has(name));
  const own = basename(opened.path);
  const names =
    own === usual || own === override
      ? [usual, override]
      : usual !== undefined && !standsAlone(opened)
        ? [usual, own]
        : [own];
  return foundFiles(
    names.flatMap(name => (name === undefined ? [] : [join(folder, name)])),
    opened,
    files,
  );
}

async function foundFiles(
  paths: readonly string[],
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (const path of paths) {
    if (path === opened.path) {
      layers.push(opened);
      continue;
    }
    const yaml = await files.read(path);
    if (yaml?.documents[0]?.root) layers.push({ path, yaml, document: 0, mount: null });
  }
  return layers;
}

/** A service needs an image, a build, or another service that it extends. */
const standsAlone = (opened: Layer): boolean =>
  entriesOf(nodeAt(rootOf(opened), 'services')).every(({ value }) => isWhole(value));

const isWhole = (service: YamlNode): boolean =>
  ['image', 'build', 'extends'].some(key => nodeAt(service, key) !== null);
