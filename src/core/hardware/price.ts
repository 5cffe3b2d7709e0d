import table from './prices.json';

/** What a GPU of a type was offered for: an order of magnitude, not a quote. */
export interface GpuPrice {
  readonly usdPerHour: number;
  /** Who offered it, and when it was read: an ISO date. */
  readonly source: string;
  readonly date: string;
  /** It is of private machines, where there was no other. */
  readonly isCommunity: boolean;
}

interface PriceRow {
  readonly gpu: string;
  readonly perHour: number;
  readonly source: string;
  readonly tier?: string;
}

const rows: ReadonlyMap<string, PriceRow> = new Map(
  (table.rows as readonly PriceRow[]).map(row => [row.gpu, row]),
);

/** Labels of the types with a known price. */
export const pricedGpus = (): readonly string[] => [...rows.keys()];

/** By the catalog's label; null: no price is known. prices.json says where each was read. */
export function priceOf(label: string): GpuPrice | null {
  const row = rows.get(label);
  const source = row && table.sources.find(({ id }) => id === row.source);
  if (!source) return null;
  const { name, date } = source;
  return { usdPerHour: row.perHour, source: name, date, isCommunity: row.tier === 'community' };
}
