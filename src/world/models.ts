import { hubId } from '../core/models/names';
import { similarModels } from '../core/models/similar';
import type { Files } from '../core/text/files';
import type { ModelLookup, ModelSource, SimilarModel } from '../core/models/model';
import type { Catalogs } from './catalogs';
import type { Environment } from './environment';
import { huggingFaceCacheFolder } from './huggingFaceCache';
import { ModelSearch } from './modelSearch';

/**
 * Architecture facts from this machine: a folder or file that the name leads to (relative to the file that names
 * it, then to the workspace), the Hugging Face cache, the catalog. The first source that has the model wins.
 */
export class Models implements ModelSource {
  private readonly cache: string;

  constructor(
    private readonly files: Files,
    private readonly catalogs: Catalogs,
    private readonly environment: Environment,
  ) {
    this.cache = huggingFaceCacheFolder(environment);
  }

  async find(model: string, from: string): Promise<ModelLookup> {
    const places = { from, home: this.environment.home, cache: this.cache };
    const search = new ModelSearch(this.files, await this.catalogs.models(), places);
    const found = await search.find(model.trim());
    return {
      model: found,
      why: found ? null : explain(model, search, this.cache),
      dependencies: search.tried,
    };
  }

  readonly similar = async (model: string): Promise<readonly SimilarModel[]> =>
    similarModels(await this.catalogs.models(), model.trim());
}

function explain(name: string, { tried, faults }: ModelSearch, cache: string): string {
  if (name.trim() === '') return 'The config names no model.';
  if (faults.length > 0) return `Couldn't use ${faults.join('; ')}.`;
  const isNamed = hubId(name) !== null;
  // A name of the Hub has its usual places; of a path the user needs to see where it led.
  const places = tried.filter(path => !path.startsWith(`${cache}/`)).map(path => `at ${path}`);
  return isNamed
    ? `Not in the catalog, the Hugging Face cache (${cache}) or next to this config.`
    : `Not in the catalog, not ${places.join(', not ')}.`;
}
