import { cell, factsOf } from '../data/rows';
import type { CatalogData, CatalogGroup, CatalogRow, FactTable } from '../data/rows';
import { countParameters } from './count';
import type { ModelFacts } from './model';
import { comparableId } from './names';

/** What a family has when its row says nothing. */
const ABSENT: Omit<ModelFacts, 'id' | 'modelType' | 'extra'> = {
  kind: 'other',
  hiddenSize: 0,
  intermediateSize: 0,
  layers: 0,
  heads: 0,
  kvHeads: 0,
  headDim: 0,
  vocabSize: 0,
  maxPositions: null,
  positions: 'none',
  positionRows: 0,
  tiedEmbeddings: false,
  qkvBias: false,
  attentionOutBias: false,
  mlpBias: false,
  gatedMlp: false,
  activation: null,
  norm: 'none',
  normsPerLayer: 0,
  qkNorm: null,
  dtype: null,
  slidingWindow: null,
  experts: 0,
  expertsPerToken: 0,
  moe: null,
  mla: null,
  parameters: null,
  publishedTotal: null,
  source: 'catalog',
  sameAs: null,
};

interface Place {
  readonly group: CatalogGroup;
  readonly row: CatalogRow;
}

/** `data/models.json`, behind every name of its models: a row becomes facts when somebody asks for it. */
export class ModelCatalog {
  private readonly places = new Map<string, Place>();
  /** Facts by the name they were asked for under. */
  private readonly known = new Map<string, ModelFacts>();

  constructor(private readonly data: CatalogData) {
    for (const group of data.groups) for (const row of group.rows) this.enter({ group, row });
  }

  /** Ids of all records, in the catalog's order; other names of the same architecture are not listed. */
  ids(): readonly string[] {
    return this.data.groups.flatMap(group => group.rows.map(row => this.idOf(row)));
  }

  /** Facts by any name the catalog knows; null when it does not know it. */
  find(name: string): ModelFacts | null {
    const known = this.known.get(name);
    if (known) return known;
    const place = this.places.get(comparableId(name));
    if (!place) return null;
    const facts = this.facts(place, name.trim());
    this.known.set(name, facts);
    return facts;
  }

  /** Records' own ids win over other names; of two records that claim one name, the first. */
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
    const model = { ...ABSENT, ...own } as ModelFacts;
    return { ...model, parameters: countParameters(model) };
  }
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
