import { modelFromCatalog } from '../core/models/catalog';
import type { ModelCatalog } from '../core/models/catalog';
import { modelFromConfigJson } from '../core/models/fromConfig';
import { modelFromGguf } from '../core/models/ggufModel';
import type { ModelFacts, ModelFactsSource } from '../core/models/model';
import { describedModel, likeOf, readDescription } from '../core/models/described';
import type { DescriptionReading } from '../core/models/described';
import type { FileAbsence, Files } from '../core/text/files';
import { dirname, join } from '../core/text/paths';
import { checkpointParameters } from './checkpointSizes';
import { expandHome } from './environment';
import { ggufHeaders } from './ggufFiles';
import { cachedModel, cacheName } from './huggingFaceCache';
import type { CachedModel } from './huggingFaceCache';

const CONFIG = 'config.json';
/** Where a workspace describes its own models. */
const DESCRIPTIONS = '.headroom/models';
const ADAPTER_CONFIG = 'adapter_config.json';
/** The card of a model, whose front matter may name what it was fine-tuned from. */
const CARD = 'README.md';

/** An adapter or a card names its base model, which may be another adapter; this limit ends a cycle. */
const MOST_ADAPTERS = 4;

/** The starting points of a search. */
interface Places {
  /** The file that names the model. */
  readonly from: string;
  readonly home: string;
  /** The Hugging Face cache; null: there is none. */
  readonly cache: string | null;
  /** What Headroom itself downloaded from the Hub; null: nothing. */
  readonly downloads: string | null;
}

const NOT_CACHED: CachedModel = { folders: [], begins: null };

/** The name searched for, and the catalog's model of that name. */
interface Wanted {
  readonly name: string;
  readonly known: ModelFacts | null;
}

/** One search for a model's facts; keeps where it looked and what was wrong there. */
export class ModelSearch {
  /** Every file that was read or looked for. */
  readonly tried: string[] = [];
  readonly faults: string[] = [];
  private adapters = 0;

  constructor(
    private readonly files: Files,
    private readonly catalog: ModelCatalog,
    private readonly places: Places,
  ) {}

  async find(name: string): Promise<ModelFacts | null> {
    if (name === '') return null;
    const wanted = { name, known: modelFromCatalog(this.catalog, name) };
    for (const place of localPlaces(expandHome(name, this.places.home), this.places.from)) {
      const found = await this.at(place, wanted);
      if (found) return found;
    }
    const described = await this.described(name);
    if (described?.described) return described;
    const cached = await this.cached(wanted);
    return cached ?? described ?? wanted.known ?? this.catalog.findSimilar(name);
  }

  private at(place: string, wanted: Wanted): Promise<ModelFacts | null> {
    if (/\.gguf$/i.test(place)) return this.inGguf(place, wanted.name);
    return place.endsWith('.json')
      ? this.firstOf([place], wanted, 'config.json')
      : this.inFolder(place, wanted);
  }

  /** A GGUF file has its model's sizes and every tensor's in its header. */
  private async inGguf(path: string, name: string): Promise<ModelFacts | null> {
    const headers = await ggufHeaders(this.files, path, part => this.note(part));
    if (headers === null) return null;
    const reading = modelFromGguf(name, headers);
    if ('model' in reading) return reading.model;
    this.faults.push(`${path} ${reading.why}`);
    return null;
  }

  /** In the user's Hugging Face cache, else among Headroom's own downloads. */
  private async cached(wanted: Wanted): Promise<ModelFacts | null> {
    const { cache, downloads } = this.places;
    const { folders, begins } =
      cache === null ? NOT_CACHED : await cachedModel(this.files, cache, wanted.name);
    if (folders.length === 0 && begins !== null) this.note(begins);
    for (const folder of folders) {
      const found = await this.inFolder(folder, wanted, 'hugging-face-cache');
      if (found) return found;
    }
    const own = cacheName(wanted.name);
    if (own === null || downloads === null) return null;
    return this.inFolder(`${downloads}/${own}`, wanted, 'download');
  }

  /** The workspace's own description of a model; an alias of a known model yields to a config.json. */
  private async described(name: string): Promise<ModelFacts | null> {
    const files = await this.files.list(DESCRIPTIONS);
    for (const file of files.filter(one => /\.ya?ml$/.test(one))) {
      const path = `${DESCRIPTIONS}/${file}`;
      const text = await this.text(path);
      const reading = text === null ? null : readDescription(text);
      if (reading?.ok === false) this.faults.push(`${path}: ${reading.why}`);
      const found = reading && (describedModel(name, reading) ?? this.like(path, name, reading));
      if (found) return found;
    }
    return null;
  }

  /** The description names a known model to use instead. */
  private like(path: string, name: string, reading: DescriptionReading): ModelFacts | null {
    const like = likeOf(name, reading);
    if (like === null) return null;
    const known = modelFromCatalog(this.catalog, like);
    if (known) return { ...known, id: name, source: 'user', sameAs: like };
    this.faults.push(`${path}: ${like} isn't in the catalog`);
    return null;
  }

  /** A folder with a PEFT adapter, or with parts of a fine-tune, has no config.json of its own: its base model tells the sizes. */
  private async inFolder(
    folder: string,
    wanted: Wanted,
    source: ModelFactsSource = 'config.json',
  ): Promise<ModelFacts | null> {
    const names = await this.files.list(folder);
    const config = `${folder}/${CONFIG}`;
    this.note(config);
    const found = names.includes(CONFIG) ? await this.firstOf([config], wanted, source) : null;
    const naming = [ADAPTER_CONFIG, CARD].find(name => names.includes(name));
    if (found || naming === undefined || this.adapters >= MOST_ADAPTERS) return found;
    this.adapters += 1;
    const text = await this.text(`${folder}/${naming}`);
    if (text === null) return null;
    return this.find(naming === CARD ? baseInCard(text) : baseModel(text));
  }

  private async firstOf(
    paths: readonly string[],
    { name, known }: Wanted,
    source: ModelFactsSource,
  ): Promise<ModelFacts | null> {
    for (const path of paths) {
      const text = await this.text(path);
      if (text === null) continue;
      const reading = modelFromConfigJson(name, text, source);
      if (reading.ok) return this.counted(withTotal(reading.model, known), dirname(path));
      this.faults.push(`${path}: ${reading.why}`);
    }
    return null;
  }

  /** The headers of a checkpoint next to its config.json give the number of parameters. */
  private async counted(model: ModelFacts, folder: string): Promise<ModelFacts> {
    if (model.parameters !== null) return model;
    const total = await checkpointParameters(this.files, folder, path => this.note(path));
    return total === null ? model : { ...model, publishedTotal: total };
  }

  private async text(path: string): Promise<string | null> {
    this.note(path);
    const file = await this.files.read(path);
    if ('text' in file) return file.text;
    const fault = FAULTS[file.absence];
    if (fault !== null) this.faults.push(`${path} ${fault}`);
    return null;
  }

  private note(path: string): void {
    if (!this.tried.includes(path)) this.tried.push(path);
  }
}

const FAULTS: Readonly<Record<FileAbsence, string | null>> = {
  missing: null,
  directory: 'is a folder',
  denied: 'is not readable (permission denied)',
  'too-large': 'is too large for a config.json',
  binary: 'is not text',
  unavailable: 'could not be read',
};

/** Folders (or JSON files) that a name may mean, relative to the naming file and to the workspace. */
function localPlaces(name: string, from: string): readonly string[] {
  if (/^\w[\w+.-]+:\/\//.test(name)) return [];
  const places = [join(dirname(from), name), join('', name)];
  return [...new Set(places)].filter(place => place !== '');
}

/** '' if the adapter names none. */
function baseModel(text: string): string {
  try {
    const adapter = JSON.parse(text) as { base_model_name_or_path?: unknown } | null;
    const base = adapter?.base_model_name_or_path;
    return typeof base === 'string' ? base.trim() : '';
  } catch {
    return '';
  }
}

/** `base_model: owner/name` in the front matter of a card, alone or first in a list; '' if there is none. */
function baseInCard(text: string): string {
  const [, matter = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text.slice(0, LONGEST_MATTER)) ?? [];
  const [, named = ''] = /^base_model:\s*(?:-\s*)?["']?([\w.-]+\/[\w.-]+)["']?\s*$/m.exec(matter) ?? [];
  return named;
}

const LONGEST_MATTER = 65_536;

/** Shapes without a counting rule get the catalog's total if the catalog has the same model. */
function withTotal(model: ModelFacts, known: ModelFacts | null): ModelFacts {
  const same =
    known?.hiddenSize === model.hiddenSize &&
    known.layers === model.layers &&
    known.vocabSize === model.vocabSize;
  return same ? { ...model, publishedTotal: known.publishedTotal } : model;
}
