import type { ModelCatalog } from '../../core/models/catalog';
import { fromCatalog } from '../configs';

/** config.json of the catalog's dense models with their checkpoint's `dtype`, and the index of each name in lower case. */
export interface ModelTable {
  readonly configs: readonly object[];
  readonly names: Readonly<Record<string, number>>;
}

/** What a program without a network can know of the models that it loads by name. */
export function modelTable(catalog: ModelCatalog): ModelTable {
  const configs: object[] = [];
  const names: Record<string, number> = {};
  const indexes = new Map<string, number | null>();
  for (const name of catalog.names()) {
    const facts = catalog.find(name);
    if (facts === null) continue;
    const id = facts.sameAs ?? facts.id;
    let index = indexes.get(id);
    if (index === undefined) {
      const found = fromCatalog(facts);
      index =
        found.ok && found.model.kind === 'transformers'
          ? configs.push({ ...found.model.config, ...(facts.dtype === null ? {} : { dtype: facts.dtype }) }) -
            1
          : null;
      indexes.set(id, index);
    }
    if (index !== null) names[name] = index;
  }
  return { configs, names };
}
