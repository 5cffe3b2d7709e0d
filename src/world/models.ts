import { hubId } from '../core/models/names';
import type { Files, ModelLookup, ModelSource } from '../core/ports';
import type { Catalogs } from './catalogs';
import type { Environment } from './environment';
import { huggingFaceCacheFolder } from './huggingFaceCache';
import { ModelSearch } from './modelSearch';

/**
 * Architecture facts from wherever this machine has them: a folder or file that the name leads to (seen from the
 * file that names it, then from the workspace), the Hugging Face cache, the catalog. The first that knows wins.
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
    return { model: found, why: found ? null : explain(model, search.faults), dependencies: search.tried };
  }
}

function explain(name: string, faults: readonly string[]): string {
  if (name.trim() === '') return 'No model is named.';
  if (faults.length > 0) return `Nothing is known of ${name}: ${faults.join('; ')}.`;
  const here = 'no config.json was found under that path';
  const hub = hubId(name) === null ? '' : ', it is not in the Hugging Face cache';
  return `Nothing is known of ${name}: ${here}${hub}, and the catalog does not have it.`;
}
