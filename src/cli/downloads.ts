import type { ModelLookup, ModelSource } from '../core/models/model';
import { hubId } from '../core/models/names';
import type { Downloaded } from '../hub/download';

/** Limit for one call, because a folder may name thousands of models. */
const MOST = 100;

/**
 * Models of this machine and, for those that it does not have, of the Hub, as `--download` asks for it. A model that is only
 * called like one of the catalog is looked for, too: its own facts are better.
 */
export class DownloadedModels implements ModelSource {
  private readonly asked = new Map<string, Promise<Downloaded>>();

  constructor(
    private readonly own: ModelSource,
    /** The same without a memory of what was not there. */
    private readonly fresh: ModelSource,
    private readonly download: (id: string) => Promise<Downloaded>,
    /** Hears once of each model that did not come: a phrase says why. */
    private readonly failed: (id: string, why: string) => void,
  ) {}

  readonly similar: NonNullable<ModelSource['similar']> = async model =>
    (await this.own.similar?.(model)) ?? [];

  async find(model: string, from: string): Promise<ModelLookup> {
    const found = await this.own.find(model, from);
    const id = hubId(model);
    const isKnown = found.model !== null && found.model.source !== 'name';
    if (isKnown || !id?.includes('/')) return found;
    const known = this.asked.get(id);
    if (known === undefined && this.asked.size >= MOST) return found;
    const asked = known ?? this.download(id);
    this.asked.set(id, asked);
    const downloaded = await asked;
    if (downloaded.ok) return this.fresh.find(model, from);
    if (known === undefined) this.failed(id, downloaded.why);
    return found;
  }
}
