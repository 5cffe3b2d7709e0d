import { readFile } from 'node:fs/promises';
import { GpuCatalog } from '../core/hardware/catalog';
import type { Target } from '../core/hardware/gpu';
import { parseTarget } from '../core/hardware/target';
import { ModelCatalog } from '../core/models/catalog';
import type { CatalogData } from '../core/data/rows';

/** The generated catalogs of a data folder (`dist/data`): each is read on first use and kept. */
export class Catalogs {
  private loadedModels: Promise<ModelCatalog> | undefined;
  private loadedGpus: Promise<GpuCatalog> | undefined;

  constructor(private readonly folder: string) {}

  /** Rejects with a CatalogError if the installation is broken. */
  models(): Promise<ModelCatalog> {
    this.loadedModels ??= this.load('models.json').then(data => new ModelCatalog(data as CatalogData));
    return this.loadedModels;
  }

  /** Rejects with a CatalogError if the installation is broken. */
  gpus(): Promise<GpuCatalog> {
    this.loadedGpus ??= this.load('gpus.json').then(data => new GpuCatalog(data as CatalogData));
    return this.loadedGpus;
  }

  /** The GPU that a name in a file means; null if it means none or several. */
  async gpuNamed(name: string): Promise<Target | null> {
    const reading = parseTarget(name, await this.gpus(), { count: null, nodes: 1 });
    return reading.ok ? reading.target : null;
  }

  private async load(name: string): Promise<unknown> {
    const file = `${this.folder}/${name}`;
    try {
      return JSON.parse(await readFile(file, 'utf8'));
    } catch (cause) {
      throw new CatalogError(file, cause);
    }
  }
}

/** A catalog of the installation cannot be read. */
export class CatalogError extends Error {
  constructor(file: string, cause: unknown) {
    super(
      `Couldn't read Headroom's data file ${file}. Reinstall the extension or rebuild with npm run build.`,
      {
        cause,
      },
    );
    this.name = 'CatalogError';
  }
}
