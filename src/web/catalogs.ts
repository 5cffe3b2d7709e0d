import type { CatalogData } from '../core/data/rows';
import { GpuCatalog } from '../core/hardware/catalog';
import type { Target } from '../core/hardware/gpu';
import { parseTarget } from '../core/hardware/target';
import { ModelCatalog } from '../core/models/catalog';
import { lazily } from '../host/lazily';

/** Reads a file of `dist/data`. */
export type ReadData = (name: string) => Promise<string>;

const parsed = async (read: ReadData, name: string): Promise<CatalogData> =>
  JSON.parse(await read(name)) as CatalogData;

/** The generated catalogs; each is read on first use and kept. */
export function webCatalogs(read: ReadData) {
  const gpus = lazily(async () => new GpuCatalog(await parsed(read, 'gpus.json')));
  return {
    gpus,
    models: lazily(async () => new ModelCatalog(await parsed(read, 'models.json'))),
    gpuNamed: async (name: string): Promise<Target | null> => {
      const reading = parseTarget(name, await gpus(), { count: null, nodes: 1 });
      return reading.ok ? reading.target : null;
    },
  };
}
