import { modelFromCatalog } from '../core/models/catalog';
import { modelFromConfigJson } from '../core/models/fromConfig';
import type { ModelFacts, ModelFactsSource } from '../core/models/model';
import { hubId } from '../core/models/names';
import type { FileAbsence, Files, ModelLookup, ModelSource } from '../core/ports';
import { dirname, join } from '../core/text/paths';
import type { Catalogs } from './catalogs';
import { expandHome } from './environment';
import type { Environment } from './environment';
import { cachedConfigs, huggingFaceCacheFolder } from './huggingFaceCache';

/** An adapter names its base model, which may be an adapter again; a circle ends here. */
const MOST_ADAPTERS = 4;

/** What one search has come across. */
interface Search {
  /** Every file that was read or looked for. */
  readonly files: string[];
  /** What was wrong with those that are there. */
  readonly faults: string[];
}

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
    const search: Search = { files: [], faults: [] };
    const found = await this.search(model, from, search, MOST_ADAPTERS);
    return { model: found, why: found ? null : explain(model, search), dependencies: search.files };
  }

  private async search(
    name: string,
    from: string,
    search: Search,
    adapters: number,
  ): Promise<ModelFacts | null> {
    if (name.trim() === '') return null;
    const known = modelFromCatalog(await this.catalogs.models(), name);
    const places = localPlaces(expandHome(name.trim(), this.environment.home), from);
    return (
      (await this.firstConfig(places.map(configIn), name, 'config.json', search, known)) ??
      (await this.baseOfAdapter(places, from, search, adapters)) ??
      (await this.cached(name, search, known)) ??
      known
    );
  }

  private async cached(name: string, search: Search, known: ModelFacts | null): Promise<ModelFacts | null> {
    const configs = await cachedConfigs(this.files, this.cache, name);
    return this.firstConfig(configs, name, 'hugging-face-cache', search, known);
  }

  private async firstConfig(
    paths: readonly string[],
    name: string,
    source: ModelFactsSource,
    search: Search,
    known: ModelFacts | null,
  ): Promise<ModelFacts | null> {
    for (const path of paths) {
      const text = await this.text(path, search);
      if (text === null) continue;
      const reading = modelFromConfigJson(name, text, source);
      if (reading.ok) return withTotal(reading.model, known);
      search.faults.push(`${path}: ${reading.why}`);
    }
    return null;
  }

  /** A folder with a PEFT adapter has no config.json of its own: its base model is what is loaded. */
  private async baseOfAdapter(
    places: readonly string[],
    from: string,
    search: Search,
    adapters: number,
  ): Promise<ModelFacts | null> {
    if (adapters === 0) return null;
    for (const place of places.filter(path => !path.endsWith('.json'))) {
      const text = await this.text(`${place}/adapter_config.json`, search);
      const base = text === null ? null : baseModel(text);
      if (base !== null) return this.search(base, from, search, adapters - 1);
    }
    return null;
  }

  private async text(path: string, search: Search): Promise<string | null> {
    if (!search.files.includes(path)) search.files.push(path);
    const file = await this.files.read(path);
    if ('text' in file) return file.text;
    const fault = FAULTS[file.absence];
    if (fault !== null) search.faults.push(`${path} ${fault}`);
    return null;
  }
}

const FAULTS: Readonly<Record<FileAbsence, string | null>> = {
  missing: null,
  directory: 'is a folder',
  denied: 'may not be read',
  'too-large': 'is too large for a config.json',
  binary: 'is not text',
  unavailable: 'cannot be read',
};

/** Folders (or JSON files) a name may mean, seen from the naming file and from the workspace. */
function localPlaces(name: string, from: string): readonly string[] {
  if (/^\w[\w+.-]+:\/\//.test(name)) return [];
  const places = [join(dirname(from), name), join('', name)];
  return [...new Set(places)].filter(place => place !== '');
}

function configIn(place: string): string {
  return place.endsWith('.json') ? place : `${place}/config.json`;
}

function baseModel(text: string): string | null {
  try {
    const adapter = JSON.parse(text) as { base_model_name_or_path?: unknown } | null;
    const base = adapter?.base_model_name_or_path;
    return typeof base === 'string' ? base : null;
  } catch {
    return null;
  }
}

/** Shapes without a counting rule get the catalog's total, when it has the same model. */
function withTotal(model: ModelFacts, known: ModelFacts | null): ModelFacts {
  const same =
    known?.hiddenSize === model.hiddenSize &&
    known.layers === model.layers &&
    known.vocabSize === model.vocabSize;
  return same ? { ...model, publishedTotal: known.publishedTotal } : model;
}

function explain(name: string, search: Search): string {
  if (search.faults.length > 0) return `Nothing is known of ${name}: ${search.faults.join('; ')}.`;
  const here = 'no config.json was found under that path';
  const hub = hubId(name) === null ? '' : ', it is not in the Hugging Face cache';
  return `Nothing is known of ${name}: ${here}${hub}, and the catalog does not have it.`;
}
