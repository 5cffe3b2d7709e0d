import { hubId } from '../core/models/names';
import type { Files } from '../core/ports';
import { corePath, expandHome } from './environment';
import type { Environment } from './environment';

/**
 * Where huggingface_hub keeps what it downloaded, by its own rules (huggingface_hub/constants.py): HF_HUB_CACHE, its old
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

/** A revision is a folder's name and nothing else. */
const REVISION = /^[\w.-]+$/;

/**
 * Paths at which a model's config.json may lie in the cache, most wanted first: the snapshot that refs/main names,
 * else every snapshot there is. Empty when the model was never downloaded.
 */
export async function cachedConfigs(files: Files, cache: string, model: string): Promise<readonly string[]> {
  const folder = await modelFolder(files, cache, model);
  if (folder === null) return [];
  const main = await files.read(`${folder}/refs/main`);
  const revision = 'text' in main ? main.text.trim() : '';
  const named = REVISION.test(revision) ? [revision] : [];
  const revisions = named.length > 0 ? named : await files.list(`${folder}/snapshots`);
  return revisions.map(name => `${folder}/snapshots/${name}/config.json`);
}

/** The hub does not mind the case of an id; the file system may. */
async function modelFolder(files: Files, cache: string, model: string): Promise<string | null> {
  const id = hubId(model);
  if (id === null) return null;
  const wanted = `models--${id.replaceAll('/', '--')}`;
  const names = await files.list(cache);
  const found = names.includes(wanted)
    ? wanted
    : names.find(name => name.toLowerCase() === wanted.toLowerCase());
  return found === undefined ? null : `${cache}/${found}`;
}
