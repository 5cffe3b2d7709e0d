import { countParameters } from './count';
import type { ModelFacts } from './model';
import { comparableId } from './names';

/** `data/models.json`: groups of rows that share a model type. Written by scripts/catalog.mjs. */
export interface ModelCatalogData {
  readonly columns: readonly string[];
  readonly groups: readonly {
    /** Facts most rows of the group have. */
    readonly shared: FactTable;
    readonly rows: readonly (readonly unknown[])[];
  }[];
}

/** Facts by name; `extra.NAME` goes to `ModelFacts.extra`; null takes a shared fact back. */
type FactTable = Readonly<Record<string, unknown>>;

/** What a family has when its row says nothing. */
const ABSENT: Omit<ModelFacts, 'id' | 'modelType' | 'parameters' | 'extra'> = {
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
  publishedTotal: null,
  source: 'catalog',
  sameAs: null,
};

interface Row {
  readonly group: number;
  readonly row: number;
}

/** The models catalog: rows become facts when somebody asks for them. */
export class ModelCatalog {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly data: ModelCatalogData) {
    data.groups.forEach((group, at) => {
      group.rows.forEach((row, index) => this.enter(row, { group: at, row: index }));
    });
  }

  /** Ids of all records, in the catalog's order; other names of the same architecture are not listed. */
  ids(): readonly string[] {
    return this.data.groups.flatMap(group => group.rows.map(row => this.cell(row, 'id') as string));
  }

  /** Facts by any name the catalog knows; null when it does not know it. */
  find(name: string): ModelFacts | null {
    const place = this.rows.get(comparableId(name));
    return place ? this.facts(place, name.trim()) : null;
  }

  /** Records' own ids win over other names; of two records that claim one name, the first. */
  private enter(row: readonly unknown[], place: Row): void {
    const id = comparableId(this.cell(row, 'id') as string);
    this.rows.set(id, place);
    for (const name of (this.cell(row, 'names') as string | undefined)?.split(' ') ?? []) {
      const key = comparableId(name);
      if (key !== '' && !this.rows.has(key)) this.rows.set(key, place);
    }
  }

  private cell(row: readonly unknown[], column: string): unknown {
    return row[this.data.columns.indexOf(column)];
  }

  private facts(place: Row, name: string): ModelFacts {
    const group = this.data.groups[place.group];
    const row = group?.rows[place.row] ?? [];
    const columns = Object.fromEntries(this.data.columns.map((column, at) => [column, row[at]]));
    const own = (columns['facts'] ?? {}) as FactTable;
    const { facts, extra } = split({ ...columns, ...group?.shared, ...own });
    const id = columns['id'] as string;
    const positionRows = facts['positions'] === 'learned' ? (columns['maxPositions'] as number) : 0;
    const uncounted = {
      ...ABSENT,
      positionRows,
      ...facts,
      id: name,
      publishedTotal: columns['total'] as number,
      sameAs: comparableId(id) === comparableId(name) ? null : id,
      parameters: null,
      extra,
    } as ModelFacts;
    return { ...uncounted, parameters: countParameters(uncounted) };
  }
}

const NOT_FACTS = new Set(['id', 'total', 'names', 'facts']);

function split(table: FactTable): { facts: FactTable; extra: FactTable } {
  const stated = Object.entries(table).filter(([name, value]) => value !== null && !NOT_FACTS.has(name));
  const isExtra = (name: string) => name.startsWith('extra.');
  return {
    facts: Object.fromEntries(stated.filter(([name]) => !isExtra(name))),
    extra: Object.fromEntries(
      stated.filter(([name]) => isExtra(name)).map(([name, value]) => [name.slice('extra.'.length), value]),
    ),
  };
}

/** Facts of one model by any of its names; null when the catalog does not have it. */
export function modelFromCatalog(catalog: ModelCatalog, name: string): ModelFacts | null {
  return catalog.find(name);
}
