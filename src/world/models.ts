import { modelFromCatalog } from '../core/models/catalog';
import type { ModelLookup, ModelSource } from '../core/ports';
import type { Catalogs } from './catalogs';

/** Architecture facts from wherever this machine has them: a local folder, the Hugging Face cache, the catalog. */
export class Models implements ModelSource {
  constructor(private readonly catalogs: Catalogs) {}

  async find(model: string): Promise<ModelLookup> {
    const facts = modelFromCatalog(await this.catalogs.models(), model);
    const why = facts ? null : `The catalog has no model named ${model}.`;
    return { model: facts, why, dependencies: [] };
  }
}
