import { basename, dirname, join } from '../../../text/paths';
import { find } from '../../../yaml/path';
import type { Composer, Composition, Layer, Neighbourhood } from '../compose';
import { defaultsOf, packageHeader } from './defaultsList';
import type { DefaultsEntry } from './defaultsList';
import { sweptCells } from './sweeper';
import { composeTree } from './tree';
import type { Composed } from './tree';

/** Folders above a config in which its root config is looked for: groups are nested two or three deep. */
const FOLDERS_UP = 5;
/** Configs of one folder that are looked at as roots. */
const MOST_CANDIDATES = 40;
const MOST_ROOTS = 4;
/** Roots for something else than training, by their names. */
const NOT_TRAINING =
  /^(?:eval|test|infer|predict|sampl|generat|export|demo|bench|visuali|process|preprocess)/i;
const IS_YAML = /\.ya?ml$/;

/** Folders whose options appear below the folder's name, for when no root config tells. */
const SECTIONS =
  /^(?:trainer|training|train|data|datamodule|data_module|dataset|loader|dataloader|model|optimizer|optim|task|scheduler|lr_scheduler|strategy)$/;

/**
 * Composes what Hydra composes. A root config is its own run. A file of a group leads to the runs of the root configs
 * that use it, or would with it chosen (`experiment=example`); without such a root it is a fragment by itself.
 */
export const hydraTree: Composer = async (opened, files) => {
  const config: Layer = { ...opened, mount: null };
  const roots = await rootsOf(config, files);
  const runs: Composition[] = [];
  for (const root of roots) runs.push(await runOf(root, config, roots.length > 1, files));
  return (runs.length > 0 ? runs : [await byItself(config, files)]).flatMap(sweptCells);
};

/** A root config and the group in which the opened file is an option of it. */
interface Root {
  readonly layer: Layer;
  readonly folder: string;
  readonly group: string;
}

async function rootsOf(opened: Layer, files: Neighbourhood): Promise<readonly Root[]> {
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
  files: Neighbourhood,
): Promise<readonly Root[]> {
  const names = (await files.list(folder)).filter(name => IS_YAML.test(name)).slice(0, MOST_CANDIDATES);
  const roots: Root[] = [];
  for (const name of names) {
    const path = folder === '' ? name : join(folder, name);
    const yaml = await files.read(path);
    if (!yaml?.documents[0]?.root) continue;
    const layer: Layer = { path, yaml, document: 0, mount: null };
    if (chooses(layer, group, opened)) roots.push({ layer, folder, group });
  }
  const training = roots.filter(({ layer }) => !NOT_TRAINING.test(basename(layer.path)));
  return (training.length > 0 ? training : roots).slice(0, MOST_ROOTS);
}

/** True for a config whose defaults choose an option of the group, or groups that the opened file overrides. */
function chooses(layer: Layer, group: string, opened: Layer): boolean {
  const groups = new Set(
    defaultsOf(layer)
      .filter(isChoice)
      .map(({ group: name }) => plain(name)),
  );
  if (groups.has(group)) return true;
  const overridden = defaultsOf(opened).filter(({ overrides }) => overrides);
  return overridden.some(({ group: name }) => name.startsWith('/') && groups.has(plain(name)));
}

const isChoice = ({ isSelf, overrides, group }: DefaultsEntry): boolean =>
  !isSelf && !overrides && group !== '';

const plain = (group: string): string => group.replace(/^\//, '');

async function runOf(
  { layer, folder, group }: Root,
  opened: Layer,
  several: boolean,
  files: Neighbourhood,
): Promise<Composition> {
  const first = { layer, group: '', package: '' };
  const option = nameOf(opened);
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

/** A config without a root above it: a root itself, or an option of a group whose root is not among these files. */
async function byItself(opened: Layer, files: Neighbourhood): Promise<Composition> {
  const section = sectionOf(opened);
  const layer: Layer = section === null ? opened : { ...opened, mount: section };
  const entries = defaultsOf(opened);
  const isAbsolute = entries.some(
    ({ group, options: [name = ''] }) => group.startsWith('/') || name.startsWith('/'),
  );
  const folder = isAbsolute ? await folderOfGroups(opened, entries, files) : dirname(opened.path);
  const group = dirname(opened.path) === folder ? '' : dirname(opened.path).slice(folder.length + 1);
  const composed = await composeTree({ layer, group, package: section ?? '' }, folder, files, new Map());
  return composition('', layer, composed);
}

/** Where a lone option's keys would appear; null for what stands at the root. */
function sectionOf(opened: Layer): string | null {
  const header = packageHeader(opened);
  if (header === '_global_') return null;
  if (header !== null && !header.startsWith('_')) return header;
  const folder = basename(dirname(opened.path));
  const root = opened.yaml.documents[opened.document]?.root ?? null;
  const isRoot = ['trainer', 'training', 'train', 'model', 'hydra', 'data'].some(
    key => find(root, [key]) !== null,
  );
  return SECTIONS.test(folder) && !isRoot && !defaultsOf(opened).some(isChoice) ? folder : null;
}

/** The folder from which absolute groups are found: the nearest one above that has one of them. */
async function folderOfGroups(
  opened: Layer,
  entries: readonly DefaultsEntry[],
  files: Neighbourhood,
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
  return dirname(opened.path);
}

/** What comes before the config's own keys lies beneath it, what comes after lies over it. */
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
