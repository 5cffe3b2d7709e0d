import { hubId } from '../core/models/names';
import { similarModels } from '../core/models/similar';
import type { Files } from '../core/text/files';
import type { ModelLookup, ModelSource, SimilarModel } from '../core/models/model';
import { hubDownloads } from '../files/cacheFolder';
import type { Catalogs } from './catalogs';
import { corePath } from './environment';
import type { Environment } from './environment';
import { huggingFaceCacheFolder } from './huggingFaceCache';
import { ModelSearch } from './modelSearch';

/**
 * Architecture facts from this machine: a folder or file that the name leads to (relative to the file that names
 * it, then to the workspace), the Hugging Face cache, what Headroom downloaded, the catalog. The first source that has the model
 * wins.
 */
export class Models implements ModelSource {
  readonly cache: string;
  readonly downloads: string;

  constructor(
    private readonly files: Files,
    private readonly catalogs: Catalogs,
    private readonly environment: Environment,
  ) {
    this.cache = huggingFaceCacheFolder(environment);
    this.downloads = corePath(hubDownloads(environment.variables));
  }

  async find(model: string, from: string): Promise<ModelLookup> {
    const places = { from, home: this.environment.home, cache: this.cache, downloads: this.downloads };
    const search = new ModelSearch(this.files, await this.catalogs.models(), places);
    const found = await search.find(model.trim());
    return {
      model: found,
      why: found ? null : explain(model, search, this),
      dependencies: search.tried,
    };
  }

  readonly similar = async (model: string): Promise<readonly SimilarModel[]> =>
    similarModels(await this.catalogs.models(), model.trim());
}

function explain(
  name: string,
  { tried, faults }: ModelSearch,
  { cache, downloads }: { readonly cache: string; readonly downloads: string },
): string {
  if (name.trim() === '') return 'The config names no model.';
  if (faults.length > 0) return `Couldn't use ${faults.join('; ')}.`;
  const isNamed = hubId(name) !== null;
  // A name of the Hub has its usual places; of a path the user needs to see where it led.
  const isCached = (path: string): boolean =>
    [cache, downloads].some(folder => path.startsWith(`${folder}/`));
  const places = tried.filter(path => !isCached(path)).map(path => `at ${path}`);
  return isNamed
    ? `Not in the catalog, the Hugging Face cache (${cache}) or next to this config.`
    : `Not in the catalog, not ${places.join(', not ')}.`;
}
