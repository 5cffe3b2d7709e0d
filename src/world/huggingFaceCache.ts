import { hubId } from '../core/models/names';
import type { Files } from '../core/text/files';
import { corePath, expandHome } from './environment';
import type { Environment } from './environment';

/**
 * Where huggingface_hub keeps its downloads, by its own rules (huggingface_hub/constants.py): HF_HUB_CACHE, its old
 * name, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub.
 */
export function huggingFaceCacheFolder(environment: Environment): string {
  const { variables, home } = environment;
  const set = (name: string) => {
    const value = variables[name]?.trim();
    return value ? expandHome(corePath(value), home) : undefined;
  };
  const caches = set('XDG_CACHE_HOME') ?? `${home}/.cache`;
  const hfHome = set('HF_HOME') ?? `${caches}/huggingface`;
  return set('HF_HUB_CACHE') ?? set('HUGGINGFACE_HUB_CACHE') ?? `${hfHome}/hub`;
}

/** A revision must be a plain folder name. */
const REVISION = /^[\w.-]+$/;

/** Where a model is, or would be, in the cache. */
export interface CachedModel {
  /** Its snapshots, best first: the one that refs/main names, else all. Empty if the model was never downloaded. */
  readonly folders: readonly string[];
  /** The file that a download writes first; null if the name is not a Hub id. */
  readonly begins: string | null;
}

export async function cachedModel(files: Files, cache: string, model: string): Promise<CachedModel> {
  const id = hubId(model);
  if (id === null) return { folders: [], begins: null };
  const folder = await modelFolder(files, cache, folderName(id));
  if (folder === null) return { folders: [], begins: `${cache}/${folderName(id)}/refs/main` };
  const main = await files.read(`${folder}/refs/main`);
  const revision = 'text' in main ? main.text.trim() : '';
  const named = REVISION.test(revision) ? [revision] : [];
  const revisions = named.length > 0 ? named : await files.list(`${folder}/snapshots`);
  return { folders: revisions.map(name => `${folder}/snapshots/${name}`), begins: `${folder}/refs/main` };
}

/** The folder of a model, as huggingface_hub names it; null if the name is not a Hub id. */
export function cacheName(model: string): string | null {
  const id = hubId(model);
  return id === null ? null : folderName(id);
}

const folderName = (id: string): string => `models--${id.replaceAll('/', '--')}`;

/** The Hub ignores the case of an id; the file system may not. */
async function modelFolder(files: Files, cache: string, wanted: string): Promise<string | null> {
  const names = await files.list(cache);
  const found = names.includes(wanted)
    ? wanted
    : names.find(name => name.toLowerCase() === wanted.toLowerCase());
  return found === undefined ? null : `${cache}/${found}`;
}
