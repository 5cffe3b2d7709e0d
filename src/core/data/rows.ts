/**
 * A generated table of facts in few bytes, as scripts/catalog.mjs writes it: rows in groups that share most facts.
 * The last column, `facts`, holds what a row has for itself; null there takes a shared fact back.
 */
export interface CatalogData {
  readonly columns: readonly string[];
  readonly groups: readonly CatalogGroup[];
}

export interface CatalogGroup {
  readonly shared: FactTable;
  readonly rows: readonly CatalogRow[];
}

export type CatalogRow = readonly unknown[];
export type FactTable = Readonly<Record<string, unknown>>;

/** One cell; undefined where the row ends before it. */
export function cell(data: CatalogData, row: CatalogRow, column: string): unknown {
  return row[data.columns.indexOf(column)];
}

/** Everything a row and its group say, without what is null. */
export function factsOf(data: CatalogData, group: CatalogGroup, row: CatalogRow): FactTable {
  const all: Record<string, unknown> = { ...group.shared };
  let own: FactTable | null = null;
  // Straight through, as a start reads two hundred rows. A cell that is empty takes a shared fact back.
  for (const [at, column] of data.columns.entries()) {
    if (column === 'facts') own = (row[at] ?? null) as FactTable | null;
    else all[column] = row[at] ?? null;
  }
  Object.assign(all, own);
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
