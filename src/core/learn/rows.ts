import { datasetsOf } from '../dialects/datasetsOf';
import { publishedLengths } from '../lengths/published';
import { isWhole, meanTokens } from '../lengths/record';
import type { DatasetRef } from '../spec/dataset';
import type { RunSpec } from '../spec/runSpec';
import type { DataLengths } from './dataLengths';

/** The rows of an epoch. */
export interface Rows {
  readonly count: number;
  readonly isAtMost: boolean;
  /** Tokens of all rows; null: unknown. */
  readonly tokens: number | null;
}

/** The rows of a run's data: as counted, as its config states or limits them, or as ms-swift's table has them; null: unknown. */
export const rowsOf = (run: RunSpec, data: DataLengths | null): Rows | null =>
  (data && countedRows(data)) ?? statedRows(datasetsOf(run));

function countedRows({ record }: DataLengths): Rows | null {
  if (!isWhole(record)) return null;
  return { count: record.rows, isAtMost: false, tokens: record.rows * meanTokens(record) };
}

/** Null if a dataset has neither rows in the config nor in the table. */
function statedRows(datasets: readonly DatasetRef[]): Rows | null {
  const all = datasets.flatMap(dataset => rowsIn(dataset) ?? []);
  if (all.length === 0 || all.length < datasets.length) return null;
  const sum = (of: (one: Rows) => number): number => all.reduce((total, one) => total + of(one), 0);
  const areKnown = all.every(({ tokens }) => tokens !== null);
  return {
    count: sum(({ count }) => count),
    isAtMost: all.some(({ isAtMost }) => isAtMost),
    tokens: areKnown ? sum(({ tokens }) => tokens ?? 0) : null,
  };
}

function rowsIn({ path, rows, mostRows }: DatasetRef): Rows | null {
  const published = publishedLengths(path);
  const drawn = Math.min(mostRows ?? Infinity, published?.rows ?? Infinity);
  const count = rows ?? drawn;
  if (!Number.isFinite(count)) return null;
  const isAtMost = rows === undefined && published === null;
  return { count, isAtMost, tokens: published && count * published.mean };
}
