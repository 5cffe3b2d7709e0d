import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { isLoader } from '../core/spec/dataset';
import type { DatasetRef } from '../core/spec/dataset';
import { datasetFromRegistry } from '../core/lengths/registry';
import { formatOf } from '../embed/input/open';

/** Where to look for data: the folders that relative paths start from, nearest first. */
export interface DataPlaces {
  readonly from: readonly string[];
  readonly home: string;
  /** The Hub's folder in the Hugging Face cache. */
  readonly cache: string;
}

/**
 * The files of a dataset, with the facts about its rows known so far; or why there are none: the end of a sentence.
 */
type FoundData = { readonly ref: DatasetRef; readonly files: readonly string[] } | { readonly why: string };

export async function findData(ref: DatasetRef, places: DataPlaces): Promise<FoundData> {
  if (ref.registry === undefined) return findInPlaces(ref, places);
  const list = await firstExisting(ref.registry, places);
  if (list === null) return { why: `${ref.registry}, which describes ${ref.path}, does not exist` };
  const named = datasetFromRegistry(ref, await readFile(list, 'utf8'));
  return 'why' in named ? named : findInPlaces(named.ref, places);
}

async function findInPlaces(ref: DatasetRef, places: DataPlaces): Promise<FoundData> {
  const remote = [ref.path, ...ref.files].find(path => /^\w[\w+.-]+:\/\//.test(path));
  if (remote !== undefined) {
    return { why: `${remote} is on another machine, and Headroom doesn't download data` };
  }
  const files = isLoader(ref) ? await filesOfPaths(ref.files, places) : await filesOfPath(ref, places);
  if (files.length > 0) return { ref, files };
  const named = isLoader(ref) ? ref.files.join(', ') : ref.path;
  return {
    why: `dataset ${named} isn't on this machine, and Headroom doesn't download data`,
  };
}

async function filesOfPath(ref: DatasetRef, places: DataPlaces): Promise<readonly string[]> {
  const at = (await firstExisting(ref.path, places)) ?? (await cached(ref.path, places.cache));
  if (at === null) return isDynamicPattern(ref.path) ? filesOfPaths([ref.path], places) : [];
  if (!(await isFolder(at))) return [at];
  return ref.files.length > 0
    ? filesOfPaths(ref.files, { ...places, from: [at, ...places.from] })
    : filesInFolder(at);
}

async function filesOfPaths(paths: readonly string[], places: DataPlaces): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) found.push(...(await filesOfOne(path, places)));
  return found;
}

async function filesOfOne(path: string, places: DataPlaces): Promise<readonly string[]> {
  const found = await firstExisting(path, places);
  if (found !== null) return (await isFolder(found)) ? filesInFolder(found) : [found];
  if (!isDynamicPattern(path)) return [];
  for (const cwd of places.from) {
    const files = await glob([path], { cwd, absolute: true, onlyFiles: true });
    if (files.length > 0) return files.toSorted();
  }
  return [];
}

async function firstExisting(path: string, { from, home }: DataPlaces): Promise<string | null> {
  const named = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
  const tries = isAbsolute(named) ? [named] : from.map(folder => resolve(folder, named));
  for (const at of tries) if (await pathExists(at)) return at;
  return null;
}

/** A downloaded dataset of the Hub: the snapshot that refs/main names, else any. */
async function cached(name: string, cache: string): Promise<string | null> {
  if (!/^[\w.-]+(?:\/[\w.-]+)?$/.test(name)) return null;
  const folder = join(cache, `datasets--${name.replaceAll('/', '--')}`);
  const main = await readFile(join(folder, 'refs', 'main'), 'utf8').catch(() => '');
  const snapshots: readonly string[] = await readdir(join(folder, 'snapshots')).catch(() => []);
  const revision = snapshots.includes(main.trim()) ? main.trim() : snapshots[0];
  return revision === undefined ? null : join(folder, 'snapshots', revision);
}

/** Maximum depth of a folder, and number of its files. */
const DEEPEST = 3;
const MOST_FILES = 2000;
/** Training files of a folder, if their names say so. */
const TRAIN = /(?:^|[\W_])train(?:ing)?(?:[\W_]|$)/i;
const OTHER = /(?:^|[\W_])(?:test|valid(?:ation)?|val|eval|dev)(?:[\W_]|$)/i;
/** JSON files next to the data that describe it. */
const DESCRIBES =
  /^(?:dataset_infos?|dataset_dict|state|config|metadata|tokenizer.*|special_tokens_map|package)\.json$/;

async function filesInFolder(folder: string): Promise<readonly string[]> {
  const files = await dataBelow(folder, DEEPEST);
  const trained = files.filter(file => TRAIN.test(file.slice(folder.length)));
  return trained.length > 0 ? trained : files.filter(file => !OTHER.test(file.slice(folder.length)));
}

async function dataBelow(folder: string, levels: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || files.length >= MOST_FILES) continue;
    const isDeeper = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)));
    if (isDeeper) {
      if (levels > 1) files.push(...(await dataBelow(path, levels - 1)));
    } else if (formatOf(entry.name) !== null && !DESCRIBES.test(entry.name)) files.push(path);
  }
  return files;
}

const pathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  );
