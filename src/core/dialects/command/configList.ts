import { documentIn } from './located';
import { nodeAt, rootOf } from './nodes';
import { argvLayer } from './tree';
import { withoutPlaceholder } from '../engine/candidates';
import type {
  Composition,
  DialectProgram,
  Gap,
  Layer,
  NearbyFiles,
  Program,
  Setting,
} from '../engine/compose';
import { lineIndexOf, placeOfKey } from '../engine/layers';
import { isPythonConfig, PYTHON_CONFIG } from '../engine/pythonConfigs';
import { addNote } from '../engine/note';
import type { Note } from '../engine/note';
import type { Location } from '../../spec/quantity';
import { basename, dirname, foldersAbove, isAbsolute, join } from '../../text/paths';
import type { Entry, MapNode, YamlDocument, YamlFile } from '../../yaml/node';
import { formatPath } from '../../yaml/path';

const FOLDERS_UP = 8;

/** A file that a command names: looked up next to the envelope, then in each folder above. */
export async function configAt(given: string, nearPath: string, files: NearbyFiles): Promise<Layer | null> {
  const name = withoutPlaceholder(given);
  if (name === '') return null;
  const own = writtenConfig(name, files);
  if (own) return own;
  let folder = dirname(nearPath);
  for (let up = 0; up <= FOLDERS_UP; up++) {
    const path = isAbsolute(name) ? name : join(folder, name);
    const yaml: YamlFile | null = await files.read(path);
    if (yaml?.documents[0]?.root) return { path, yaml, document: 0, mount: null };
    const above = dirname(folder);
    if (isAbsolute(name) || above === folder || folder === '') break;
    folder = above;
  }
  return isAbsolute(name) ? standInOf(name, nearPath, files) : null;
}

/** A config that the script has written itself. */
function writtenConfig(name: string, files: NearbyFiles): Layer | null {
  const found = YAML_FILE.test(name) ? files.written?.(name) : null;
  if (!found) return null;
  const { text, opened } = found;
  const span = { start: text.at[0] ?? 0, end: text.at.at(-1) ?? 0 };
  const document = documentIn(text, span, name);
  return (
    document && {
      ...{ path: opened.path, document: 0, mount: null },
      yaml: { ...opened.yaml, documents: [document] },
    }
  );
}

const YAML_FILE = /\.(?:ya?ml|json|toml)$/;

/** `/cluster/me/project/configs/a.yaml` of another machine is `configs/a.yaml` of the project, if that is there. */
async function standInOf(name: string, nearPath: string, files: NearbyFiles): Promise<Layer | null> {
  for (const path of tailsNear(name, nearPath)) {
    const yaml = await files.read(path);
    if (yaml?.documents[0]?.root) return { path, yaml, document: 0, mount: null };
  }
  return null;
}

/** The ends of an absolute path with a folder at least, longest first, in the folders around a file. */
export function tailsNear(name: string, nearPath: string): readonly string[] {
  const parts = name.split('/').filter(part => part !== '');
  const tails = parts.slice(1, -1).map((_, i) => parts.slice(i + 1).join('/'));
  const folders = foldersAbove(nearPath, FOLDERS_UP).slice(0, FOLDERS_UP);
  return tails.slice(-MOST_TAILS).flatMap(tail => folders.map(folder => join(folder, tail)));
}

const MOST_TAILS = 4;

/** A config that a command names. */
interface ConfigName {
  /** '' if it is known only when the command runs. */
  readonly name: string;
  /** The path of its keys in the run: '' at the root. */
  readonly mount: string;
  /** The word that names it. */
  readonly setting: Setting;
}

/** One argument of a command: a config, or a setting. */
export type Argument =
  | { readonly config: ConfigName; readonly setting: null }
  | { readonly config: null; readonly setting: Setting };

/** A config that a command names; without a layer if the file is missing. */
interface NamedConfig {
  readonly named: ConfigName;
  readonly layer: Layer | null;
  /** The file is there, and is no data. */
  readonly isCode: boolean;
}

/** The configs of a command; `recognized`: its program, which may have configs by name. */
export async function readConfigs(
  args: readonly Argument[],
  opened: Layer,
  files: NearbyFiles,
  recognized: DialectProgram | null,
): Promise<readonly NamedConfig[]> {
  const found: NamedConfig[] = [];
  for (const { config } of args) {
    if (!config) continue;
    const layer =
      (await configAt(config.name, opened.path, files)) ?? (await recognized?.shipped?.(config.name)) ?? null;
    const isCode =
      layer !== null && config.name.endsWith('.py') && !isPythonConfig(config.name, layer.yaml.text);
    found.push({ named: config, layer: layer && !isCode ? { ...layer, mount: config.mount } : null, isCode });
  }
  return found;
}

/** The dialect of the first config that has one, else of all configs merged. */
export function dialectOfConfigs(configs: readonly NamedConfig[], files: NearbyFiles): string | null {
  const layers = configs.flatMap(({ layer }) => layer ?? []);
  for (const layer of layers) {
    const dialect = layer.mount === '' ? dialectOfLayer(layer, files) : null;
    if (dialect !== null) return dialect;
  }
  const [first] = layers;
  const root = first && layers.length > 1 ? together(layers, first) : null;
  return root && (files.dialectOf?.({ index: 0, root, span: root.span, sharedAnchors: new Set() }) ?? null);
}

function dialectOfLayer({ path, yaml, document }: Layer, files: NearbyFiles): string | null {
  if (isPythonConfig(path, yaml.text)) return PYTHON_CONFIG;
  const own: YamlDocument | undefined = yaml.documents[document];
  return own ? (files.dialectOf?.(own) ?? null) : null;
}

/** The keys of all files merged section by section; later files win. */
function together(layers: readonly Layer[], first: Layer): MapNode | null {
  const root = rootOf(first);
  if (!root) return null;
  const mounted = layers.flatMap(layer => {
    const own = rootOf(layer);
    if (!own) return [];
    const { mount } = layer;
    return mount ? [{ key: mount, keySpan: own.span, value: own, merged: false }] : own.entries;
  });
  return { ...root, entries: mounted.reduce<readonly Entry[]>(overlaid, []) };
}

/** The document of a command with the defaults that a program has where it gives none. */
export function overDefaults(command: Layer, defaults: Layer | null): YamlDocument | undefined {
  const own = command.yaml.documents[command.document];
  const [over, root] = [rootOf(command), defaults && rootOf(defaults)];
  if (!own || !over || !root) return own;
  return {
    ...own,
    root: { ...over, entries: over.entries.reduce<readonly Entry[]>(overlaid, root.entries) },
  };
}

function overlaid(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const old = entries.find(({ key }) => key === entry.key);
  if (!old) return [...entries, entry];
  const { value } = entry;
  const inner =
    old.value.kind === 'map' && value.kind === 'map'
      ? { ...value, entries: value.entries.reduce(overlaid, old.value.entries) }
      : value;
  return entries.map(one => (one === old ? { ...entry, value: inner } : one));
}

/** The parts of a run. */
interface Parts {
  readonly configs: readonly NamedConfig[];
  readonly args: readonly Argument[];
  readonly opened: Layer;
  readonly dialect: string;
  readonly program: Program | null;
  readonly files: NearbyFiles;
  /** What the program has by itself. */
  readonly defaults: Layer | null;
}

/** The configs of a command and the settings between them; later ones win. */
export function compositionOf(parts: Parts): Composition {
  const { configs, dialect, program, files, args, opened, defaults } = parts;
  const layers = configs.flatMap(({ layer }) => layer ?? []);
  if (program?.configs === undefined) {
    const only = layers.find(layer => dialectOfLayer(layer, files) === dialect) ?? layers[0];
    const settings = args.flatMap(({ setting }) => setting ?? []);
    const over = argvLayer(opened, settings, '', startOf(configs));
    return { name: '', dialect, layers: only ? [{ ...only, mount: null }, over] : [over] };
  }
  const merged = mergedLayers(parts, program);
  const all = merged.filter(({ ships }) => !ships);
  const at = all.findIndex(({ mount, path }) => mount === '' && path !== opened.path);
  const [before, after] = [all.slice(0, Math.max(0, at)), all.slice(Math.max(0, at))];
  const [first, ...over] = after;
  // Without a file, the command itself is the config.
  const config = at >= 0 || first?.path === opened.path ? first : undefined;
  return {
    name: '',
    dialect,
    layers: config
      ? [{ ...config, mount: null }, ...over]
      : [argvLayer(opened, [], null, startOf(configs)), ...after],
    beneath: [...(defaults ? [defaults] : []), ...merged.filter(({ ships }) => ships), ...before],
    gaps: gapsOf(parts),
    notes: [
      ...(layers.length === 0 ? missing(parts) : []),
      ...(program.refusesTwice === true ? duplicateKeys(layers) : []),
    ],
  };
}

/** The position at which a command begins to describe its run. */
const startOf = (configs: readonly NamedConfig[]): number =>
  Math.min(...configs.map(({ named }) => named.setting.keySpan.start));

/**
 * Merges adjacent settings into one layer; always ends with one, even if empty, so that the command has a place.
 */
function mergedLayers(parts: Parts, program: Program): readonly Layer[] {
  const { configs, args, opened } = parts;
  const layers: Layer[] = [];
  let settings: Setting[] = [];
  const flush = (): void => {
    if (settings.length > 0) layers.push(argvLayer(opened, settings, ''));
    settings = [];
  };
  for (const { config, setting } of args) {
    if (setting) settings.push(asClassArgument(setting, parts, program));
    const layer = configs.find(({ named }) => named === config)?.layer;
    if (!layer) continue;
    flush();
    layers.push(layer);
  }
  flush();
  return layers.at(-1)?.path === opened.path
    ? layers
    : [...layers, argvLayer(opened, [], '', startOf(configs))];
}

/** `--data.batch_size 4` is an argument of the class that `data` names; `--data Name` is its name. */
function asClassArgument(setting: Setting, { configs }: Parts, { classes = [] }: Program): Setting {
  const [name, second] = setting.path.map(String);
  if (name === undefined || !classes.includes(name)) return setting;
  if (second === undefined) return { ...setting, path: [name, 'class_path'] };
  const isObject = configs.some(({ layer }) => {
    const root = layer && rootOf(layer);
    return root && nodeAt(root, ...(layer.mount === name ? [] : [name]), 'class_path') !== null;
  });
  if (!isObject || second === 'class_path' || second === 'init_args') return setting;
  return { ...setting, path: [name, 'init_args', ...setting.path.slice(1)] };
}

/** Gaps for missing files, and for files whose name is unknown. */
function gapsOf({ configs, opened }: Parts): readonly Gap[] {
  return configs.flatMap(({ named: { name, mount, setting }, layer, isCode }) => {
    if (layer) return [];
    const at = placeOf(setting, opened);
    const why =
      name === ''
        ? `${basename(opened.path)} names a config that is known only when it runs.`
        : isCode
          ? `${name} is Python code, which Headroom does not read as a config.`
          : `${basename(opened.path)} names ${name}, not found next to it or above.`;
    return [{ mount, key: at.path, at, why }];
  });
}

/** Without any config of its own, a command says nothing: its missing files are why. */
const missing = (parts: Parts): readonly Note[] =>
  gapsOf({
    ...parts,
    configs: parts.configs.filter(({ named, isCode }) => named.name !== '' && !isCode),
  }).map(({ at, why }) => ({ code: 'missing-file', at, message: why }));

function placeOf({ keySpan, value, from }: Setting, { path, yaml }: Layer): Location {
  const { line } = lineIndexOf(yaml).placeOf(keySpan.start);
  return { file: path, path: formatPath(from), keySpan, valueSpan: value.span, line };
}

/** Keys in two files, for a program that rejects duplicates; it treats `-` and `_` as equal. */
function duplicateKeys(layers: readonly Layer[]): readonly Note[] {
  const seen = new Map<string, Layer>();
  const notes: Note[] = [];
  for (const layer of layers) {
    for (const { key } of rootOf(layer)?.entries ?? []) {
      const before = seen.get(key);
      const at = before ? placeOfKey(layer, [key]) : null;
      if (before && at) {
        const message = `${key} stands in ${basename(before.path)} as well: one run cannot be given both files.`;
        addNote(notes, { code: 'key-in-two-files', at, message });
      }
      seen.set(key.replaceAll('-', '_'), layer);
    }
  }
  return notes;
}
