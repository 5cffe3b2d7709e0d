import { basename, dirname, join } from '../../../text/paths';
import type { Entry, MapNode, YamlNode } from '../../../yaml/node';
import { find, parsePath, resolve } from '../../../yaml/path';
import type { Gap, Layer, NearbyFiles, Setting } from '../compose';
import { mapOf } from '../settings';
import { defaultsOf } from './defaultsList';
import { composeTree } from './tree';

/** References that refer to others, and nodes of one tree: sections can refer to each other. */
const MOST_HOPS = 8;
const MOST_NODES = 4000;

/** What a program started by Hydra gets: its root config with its defaults, in reading order, and the command's overrides. */
interface ForHydra {
  readonly layers: readonly Layer[];
  readonly gaps: readonly Gap[];
  /** Overrides that choose files. */
  readonly chosen: readonly string[];
  readonly root: MapNode;
}

/**
 * The one tree of them, references followed. Null: there is no such file. A value that only the run knows is opaque.
 */
export async function composedConfig(
  path: string,
  overrides: ReadonlyMap<string, YamlNode>,
  files: NearbyFiles,
): Promise<ForHydra | null> {
  const yaml = await files.read(path);
  const span = yaml?.documents[0]?.root?.span;
  if (!yaml || !span) return null;
  const layer: Layer = { path, yaml, document: 0, mount: null };
  const groups = new Set(defaultsOf(layer).map(({ group }) => group.replace(/^\//, '')));
  const choices = [...overrides].filter(([name]) => groups.has(name)).map(wordOf);
  const given = [...overrides].filter(([name]) => !groups.has(name));
  const added = await addedBy(given, dirname(path), files);
  const first = { layer, group: '', package: '' };
  const { layers, gaps } = await composeTree(first, dirname(path), files, new Map(choices), added);
  const own = given.filter(([name]) => !added.some(({ group }) => group === name));
  const settings = [...layers.flatMap(settingsOf), ...own.map(asSetting)];
  const chosen = [...choices.map(([name]) => name), ...added.map(({ group }) => group)];
  return { layers, gaps, chosen, root: followed(mapOf(settings, span, null)) };
}

/** `+experiment=example`: options of groups that the list of defaults does not have. */
async function addedBy(
  given: readonly (readonly [string, YamlNode])[],
  folder: string,
  files: NearbyFiles,
): Promise<readonly { readonly group: string; readonly option: string }[]> {
  const added: { readonly group: string; readonly option: string }[] = [];
  for (const [group, word] of given.filter(([name]) => !name.includes('.')).map(wordOf)) {
    const option = word.replace(/\.ya?ml$/, '');
    const names = await files.list(join(folder, dirname(`${group}/${option}`)));
    if (names.includes(`${basename(option)}.yaml`)) added.push({ group, option });
  }
  return added;
}

const wordOf = ([name, node]: readonly [string, YamlNode]): readonly [string, string] => [
  name,
  node.kind === 'scalar' ? String(node.value) : '???',
];

const asSetting = ([name, value]: readonly [string, YamlNode]): Setting => {
  const path = name.split('.');
  return { path, keySpan: value.span, value, from: path };
};

/** The leaves of a file, at the places of its package. */
function settingsOf({ yaml, document, mount }: Layer): readonly Setting[] {
  const root = yaml.documents[document]?.root;
  const top = mount ? mount.split('.') : [];
  const leaves = (node: YamlNode, at: readonly string[], keySpan: Setting['keySpan']): readonly Setting[] => {
    const value = resolve(node);
    if (value?.kind === 'map' && (value.entries.length > 0 || at.length === 0)) {
      return value.entries
        .filter(({ key }) => at.length > 0 || key !== 'defaults')
        .flatMap(entry => leaves(entry.value, [...at, entry.key], entry.keySpan));
    }
    return value ? [{ path: [...top, ...at], keySpan, value, from: at }] : [];
  };
  return root ? leaves(root, [], root.span) : [];
}

const REFERENCE = /^\$\{([\w.[\]]+)\}$/;

/** The tree with what its references refer to. */
function followed(root: MapNode): MapNode {
  let nodes = 0;
  const of = (node: YamlNode, hops: number): YamlNode => {
    if (++nodes > MOST_NODES) return node;
    if (node.kind === 'map') return { ...node, entries: node.entries.map(entry => entryOf(entry, hops)) };
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || !node.value.includes('${')) return node;
    const [, name] = REFERENCE.exec(node.value) ?? [];
    const found = name === undefined || hops > MOST_HOPS ? null : find(root, parsePath(name));
    return found ? of(found.node, hops + 1) : { ...node, opaque: 'interpolation' };
  };
  const entryOf = (entry: Entry, hops: number): Entry => ({ ...entry, value: of(entry.value, hops) });
  return { ...root, entries: root.entries.map(entry => entryOf(entry, 0)) };
}
