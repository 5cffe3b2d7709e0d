import table from './prices.json';

/** An offer for a GPU type: an order of magnitude, not a quote. */
export interface GpuPrice {
  readonly usdPerHour: number;
  /** The provider, and the date it was read (ISO). */
  readonly source: string;
  readonly date: string;
}

interface PriceRow {
  readonly gpu: string;
  readonly perHour: number;
  readonly source: string;
}

const rows: ReadonlyMap<string, PriceRow> = new Map(
  (table.rows as readonly PriceRow[]).map(row => [row.gpu, row]),
);

/** Labels of the GPU types with a known price. */
export const pricedGpus = (): readonly string[] => [...rows.keys()];

/** By the catalog's label; null: unknown. prices.json has the source of each price. */
export function priceOf(label: string): GpuPrice | null {
  const row = rows.get(label);
  const source = row && table.sources.find(({ id }) => id === row.source);
  if (!source) return null;
  const { name, date } = source;
  return { usdPerHour: row.perHour, source: name, date };
}
