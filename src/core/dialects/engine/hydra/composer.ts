import { basename, dirname, join } from '../../../text/paths';
import { find } from '../../../yaml/path';
import type { Composer, Composition, Layer, NearbyFiles } from '../compose';
import { defaultsOf, isGlobalPackage, packageHeader } from './defaultsList';
import type { DefaultsEntry } from './defaultsList';
import { sweptCells } from './sweeper';
import { composeTree } from './tree';
import type { Composed } from './tree';
import { isOtherWork } from '../otherWork';

/** Folders above a config to search for its root config: groups are nested two or three deep. */
const FOLDERS_UP = 5;
/** Configs per folder to try as roots. */
const MOST_CANDIDATES = 40;
const MOST_ROOTS = 4;
const IS_YAML = /\.ya?ml$/;

/** Folders whose options appear below the folder's name, if there is no root config to tell. */
const SECTIONS =
  /^(?:trainer|training|train|data|datamodule|data_module|dataset|loader|dataloader|model|optimizer|optim|task|scheduler|lr_scheduler|strategy)$/;

/**
 * Composes configs as Hydra does. A root config is a run. A file of a group gives the runs of the root configs that
 * use it, or that could choose it (`experiment=example`); without a root it is a fragment.
 */
export const hydraTree: Composer = async (opened, files) => {
  const config: Layer = { ...opened, mount: null };
  const roots = await rootsOf(config, files);
  const runs: Composition[] = [];
  for (const root of roots) runs.push(await runOf(root, config, roots.length > 1, files));
  return (runs.length > 0 ? runs : [await composeAlone(config, files)]).flatMap(sweptCells);
};

/** A root config, and the group in which the opened file is an option. */
interface Root {
  readonly layer: Layer;
  readonly folder: string;
  readonly group: string;
  readonly option: string;
}

async function rootsOf(opened: Layer, files: NearbyFiles): Promise<readonly Root[]> {
  let folder = dirname(opened.path);
  let group = '';
  for (let up = 0; up < FOLDERS_UP && folder !== '' && folder !== '/'; up++) {
    group = group === '' ? basename(folder) : `${basename(folder)}/${group}`;
    folder = dirname(folder);
    const found = await rootsIn(folder, group, opened, files);
    if (found.length > 0) return found;
  }
  return [];
}

async function rootsIn(
  folder: string,
  group: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly Root[]> {
  const names = (await files.list(folder)).filter(name => IS_YAML.test(name)).slice(0, MOST_CANDIDATES);
  const roots: Root[] = [];
  for (const name of names) {
    const path = folder === '' ? name : join(folder, name);
    const yaml = await files.read(path);
    if (!yaml?.documents[0]?.root) continue;
    const layer: Layer = { path, yaml, document: 0, mount: null };
    const choice = choiceOf(layer, group, opened);
    if (choice) roots.push({ layer, folder, ...choice });
  }
  const training = roots.filter(({ layer }) => !isOtherWork(layer.path));
  return (training.length > 0 ? training : roots).slice(0, MOST_ROOTS);
}

/**
 * The group and option with which a config's defaults choose the opened file, or could choose it: those of its
 * folder, or of a folder above if its keys are at the root (`solver=musicgen/base`). Null if they have no such
 * group.
 */
function choiceOf(layer: Layer, group: string, opened: Layer): Pick<Root, 'group' | 'option'> | null {
  const groups = new Set(
    defaultsOf(layer)
      .filter(isChoice)
      .map(({ group: name }) => plain(name)),
  );
  const overridden = defaultsOf(opened).filter(({ overrides }) => overrides);
  const isKnown = overridden.some(({ group: name }) => name.startsWith('/') && groups.has(plain(name)));
  const option = nameOf(opened);
  if (isGlobal(opened)) {
    const parts = group.split('/');
    const depth = parts.findIndex((_, i) => groups.has(parts.slice(0, i + 1).join('/'))) + 1;
    if (depth > 0) {
      return { group: parts.slice(0, depth).join('/'), option: [...parts.slice(depth), option].join('/') };
    }
  }
  return groups.has(group) || isKnown ? { group, option } : null;
}

const isGlobal = (layer: Layer): boolean => isGlobalPackage(packageHeader(layer));

const isChoice = ({ isSelf, overrides, group }: DefaultsEntry): boolean =>
  !isSelf && !overrides && group !== '';

const plain = (group: string): string => group.replace(/^\//, '');

async function runOf(
  { layer, folder, group, option }: Root,
  opened: Layer,
  several: boolean,
  files: NearbyFiles,
): Promise<Composition> {
  const first = { layer, group: '', package: '' };
  const prefix = several ? nameOf(layer) : '';
  const usual = await composeTree(first, folder, files, new Map());
  if (uses(usual, opened)) return composition(prefix, layer, usual);
  const name = [prefix, `${group}=${option}`].filter(Boolean).join(' ');
  const chosen = await composeTree(first, folder, files, new Map([[group, option]]));
  if (uses(chosen, opened)) return composition(name, layer, chosen);
  const added = await composeTree(first, folder, files, new Map(), [{ group, option }]);
  return composition(name, layer, added);
}

const uses = ({ layers }: Composed, { path }: Layer): boolean => layers.some(layer => layer.path === path);

const nameOf = ({ path }: Layer): string => basename(path).replace(IS_YAML, '');

/** A config without a root above it: itself a root, or an option of a group whose root is not among these files. */
async function composeAlone(opened: Layer, files: NearbyFiles): Promise<Composition> {
  const section = sectionOf(opened);
  const layer: Layer = section === null ? opened : { ...opened, mount: section };
  const entries = defaultsOf(opened);
  const isAbsolute = entries.some(
    ({ group, options: [name = ''] }) => group.startsWith('/') || name.startsWith('/'),
  );
  const relative = await folderOfRelative(opened, entries, files);
  const folder = isAbsolute
    ? await folderOfGroups(opened, entries, relative, files)
    : folderAboveGroup(opened, relative);
  const group = relative === folder ? '' : relative.slice(folder.length + 1);
  const composed = await composeTree({ layer, group, package: section ?? '' }, folder, files, new Map());
  return composition('', layer, composed);
}

/** The path of a lone option's keys; null at the root. */
function sectionOf(opened: Layer): string | null {
  const header = packageHeader(opened);
  if (isGlobalPackage(header)) return null;
  if (header !== null && !header.startsWith('_')) return header;
  const folder = basename(dirname(opened.path));
  const root = opened.yaml.documents[opened.document]?.root ?? null;
  const isRoot = ['trainer', 'training', 'train', 'model', 'hydra', 'data'].some(
    key => find(root, [key]) !== null,
  );
  return SECTIONS.test(folder) && !isRoot && !defaultsOf(opened).some(isChoice) ? folder : null;
}

/** The folder that configs without a group are relative to: the file's own, or one above that has them. */
async function folderOfRelative(
  opened: Layer,
  entries: readonly DefaultsEntry[],
  files: NearbyFiles,
): Promise<string> {
  const own = dirname(opened.path);
  const names = entries
    .filter(({ isSelf, group, overrides }) => !isSelf && group === '' && !overrides)
    .flatMap(({ options: [name = ''] }) => (name.includes('/') && !name.startsWith('/') ? [name] : []));
  let folder = own;
  for (let up = 0; up < FOLDERS_UP && names.length > 0; up++) {
    for (const name of names) {
      const siblings = await files.list(dirname(join(folder, name)));
      if (siblings.some(file => file.replace(IS_YAML, '') === basename(name))) return folder;
    }
    if (folder === '' || folder === '/') break;
    folder = dirname(folder);
  }
  return own;
}

/** The folder that absolute groups are relative to: the nearest one above that has one of them. */
async function folderOfGroups(
  opened: Layer,
  entries: readonly DefaultsEntry[],
  relative: string,
  files: NearbyFiles,
): Promise<string> {
  const firsts = entries.flatMap(({ group, options: [name = ''] }) =>
    [group, name].filter(one => one.startsWith('/')).map(one => one.split('/')[1] ?? ''),
  );
  let folder = dirname(opened.path);
  for (let up = 0; up < FOLDERS_UP; up++) {
    for (const first of firsts) {
      if ((await files.list(join(folder, first))).length > 0) return folder;
    }
    if (folder === '' || folder === '/') break;
    folder = dirname(folder);
  }
  return folderAboveGroup(opened, relative);
}

/** A folder from which a config below it names another belongs to a group; the folder of all groups is above it. */
const folderAboveGroup = (opened: Layer, relative: string): string =>
  relative === dirname(opened.path) ? relative : dirname(relative);

/** Files before the config's own keys are its bases, files after them its overlays. */
function composition(name: string, config: Layer, { layers, gaps, notes }: Composed): Composition {
  const own = layers.findIndex(({ path }) => path === config.path);
  const mounted = (layer: Layer): Layer => ({ ...layer, mount: layer.mount ?? '' });
  return {
    name,
    layers: [config, ...layers.slice(own + 1).map(mounted)],
    beneath: layers.slice(0, own).map(mounted),
    gaps,
    notes,
  };
}
