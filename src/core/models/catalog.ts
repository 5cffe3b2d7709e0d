import { cell, factsOf } from '../data/rows';
import type { CatalogData, CatalogGroup, CatalogRow, FactTable } from '../data/rows';
import { countParameters } from './families/families';
import type { ModelFacts } from './model';
import { comparableId, hubId, hubIdOfBuilder } from './names';
import { formatInName } from './checkpointFormat';
import { ggufName, withoutContainer } from './gguf';
import { imageModel, imageModelInside } from './imageModels';
import { segformerModel } from './segformers';
import { ultralyticsModel } from './ultralytics';
import { NamesInNames } from './namesInNames';
import { noFacts } from './noFacts';
import { pipelineModel, pipelineOfFile } from './pipelines';

interface Place {
  readonly group: CatalogGroup;
  readonly row: CatalogRow;
}

/** `data/models.json` by all names of its models; a row is decoded on demand. */
export class ModelCatalog {
  private readonly places = new Map<string, Place>();
  /** Decoded facts, by the requested name. */
  private readonly known = new Map<string, ModelFacts>();
  /** Names without owners; built when a GGUF file first needs them. */
  private bases: ReadonlyMap<string, Place> | null = null;
  private words: NamesInNames | null = null;

  constructor(private readonly data: CatalogData) {
    for (const group of data.groups) for (const row of group.rows) this.enter({ group, row });
  }

  /** Ids of all records, in catalog order; without other names of the same architecture. */
  ids(): readonly string[] {
    return this.data.groups.flatMap(group => group.rows.map(row => this.idOf(row)));
  }

  /** All names that records have, in lower case. */
  names(): readonly string[] {
    return [...this.places.keys()];
  }

  /**
   * Facts by a name of the catalog, of a library's image network or of a diffusers pipeline; null for other names.
   */
  find(name: string): ModelFacts | null {
    const known = this.known.get(name);
    if (known) return known;
    const place =
      this.places.get(comparableId(hubIdOfBuilder(name) ?? name)) ??
      this.ofGguf(name) ??
      this.ofQuantized(name);
    // Rows of pipelines, YOLO and SegFormer have the facts that their network code needs.
    const library = pipelineModel(name) ?? ultralyticsModel(name) ?? segformerModel(name);
    const listed = place ? this.facts(place, name.trim()) : null;
    const published = library?.publishedTotal ?? listed?.publishedTotal ?? null;
    const facts = library ? { ...library, publishedTotal: published } : (listed ?? imageModel(name));
    if (facts === null) return null;
    this.known.set(name, facts);
    return facts;
  }

  /**
   * Facts of the model that a folder (`~/models/Qwen3-4B-Instruct`) or another owner's copy is called like: who names a folder
   * so most likely put that model into it. Null where the name says nothing: no digit, or no such model.
   */
  findSimilar(name: string): ModelFacts | null {
    const published = pipelineOfFile(name);
    if (published) return published;
    const last =
      name
        .trim()
        .replace(INNER, '')
        .replace(/(?<!\/)\/+$/, '')
        .split(/[/\\]/)
        .at(-1) ?? '';
    const isCalled = /^[^A-Za-z]*[A-Za-z].*\d/s.test(last);
    const called = isCalled ? (this.named(withoutContainer(last)) ?? this.ofQuantized(last)) : undefined;
    const place = called ?? this.within(name);
    if (!place) {
      const image = imageModelInside(name);
      return image && { ...image, extra: { ...image.extra, [INSIDE]: true }, source: 'name' };
    }
    const facts = this.facts(place, name.trim());
    const extra = called ? facts.extra : { ...facts.extra, [INSIDE]: true, supposed: true };
    return { ...facts, extra, source: 'name', sameAs: this.idOf(place.row) };
  }

  /** The only model whose name is part of a longer one: `outputs/qwen2_5_7b_instruct_sft/final`, `org/Qwen2.5-7B-Instruct-medical`. */
  private within(name: string): Place | undefined {
    this.bases ??= basesOf(this.places);
    this.words ??= new NamesInNames(this.bases.keys());
    const base = this.words.in(name);
    return base === null ? undefined : this.bases.get(base);
  }

  private named(base: string): Place | undefined {
    this.bases ??= basesOf(this.places);
    return this.bases.get(base);
  }

  /** A GGUF file has the name of its original model, without the owner. */
  private ofGguf(name: string): Place | undefined {
    const file = ggufName(name);
    return file === null ? undefined : this.named(withoutContainer(file.base));
  }

  /** A repository of quantized weights is called like the model that was quantized, often by another owner. */
  private ofQuantized(name: string): Place | undefined {
    const base = formatInName(hubId(name) ?? '')?.base;
    if (base === undefined) return undefined;
    this.bases ??= basesOf(this.places);
    return (
      this.places.get(comparableId(base)) ?? this.bases.get(withoutContainer(base.split('/').at(-1) ?? ''))
    );
  }

  /** A record's own id wins over other names; if two records claim a name, the first wins. */
  private enter(place: Place): void {
    this.places.set(comparableId(this.idOf(place.row)), place);
    const names = (cell(this.data, place.row, NAMES) ?? '') as string;
    for (const name of names.split(' ')) {
      const key = comparableId(name);
      if (key !== '' && !this.places.has(key)) this.places.set(key, place);
    }
  }

  private idOf(row: CatalogRow): string {
    return cell(this.data, row, 'id') as string;
  }

  private facts({ group, row }: Place, name: string): ModelFacts {
    const { id, total, ...table } = factsOf(this.data, group, row);
    const { facts, extra } = split(table);
    const rows = facts['positions'] === 'learned' ? facts['maxPositions'] : 0;
    const sameAs = comparableId(id as string) === comparableId(name) ? null : id;
    const own = { positionRows: rows, ...facts, id: name, publishedTotal: total, sameAs, extra };
    const model = { ...noFacts, ...own } as ModelFacts;
    return { ...model, parameters: countParameters(model) };
  }
}

/** What trainers and hubs put below a model's own folder. */
const INNER = /\/(?:checkpoint-\d+|snapshots\/\w+|main|latest|original|hf)\/?$/;

/** A fact of models whose name is only part of the one that was asked for. */
export const INSIDE = 'nameInside';

/** If several share a name, the first wins. */
function basesOf(places: ReadonlyMap<string, Place>): ReadonlyMap<string, Place> {
  const bases = new Map<string, Place>();
  for (const [id, place] of places) {
    const base = withoutContainer(id.split('/').at(-1) ?? id);
    if (!bases.has(base)) bases.set(base, place);
  }
  return bases;
}

/** `extra.NAME` goes to `ModelFacts.extra`. */
const EXTRA = 'extra.';
const NAMES = 'names';

function split(table: FactTable): { facts: FactTable; extra: FactTable } {
  const entries = Object.entries(table);
  const extra = entries.filter(([name]) => name.startsWith(EXTRA));
  return {
    facts: Object.fromEntries(entries.filter(([name]) => name !== NAMES && !name.startsWith(EXTRA))),
    extra: Object.fromEntries(extra.map(([name, value]) => [name.slice(EXTRA.length), value])),
  };
}

/** Facts of one model by any of its names; null when the catalog does not have it. */
export function modelFromCatalog(catalog: ModelCatalog, name: string): ModelFacts | null {
  return catalog.find(name);
}
