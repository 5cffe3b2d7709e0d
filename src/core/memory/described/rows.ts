import type { MeasuredPoint } from '../../models/description';
import type { Spread } from '../calibration';
import type { Term } from '../estimate';

/** The amount of computation in one step of a run. */
export interface Rows {
  readonly batch: number;
  readonly sequence: number | null;
  readonly sequences: number | null;
}

/** A description applied to a run. */
export interface Described {
  readonly bytes: number;
  readonly spread: Spread;
  readonly terms: readonly Term[];
  /** The assumption. */
  readonly says: string;
}

/**
 * The amount of computation per step, in units that all points state: samples, times tokens if each states a row
 * length, times rows per sample if each states them.
 */
export function loadOf(rows: Rows, among: readonly Omit<MeasuredPoint, 'bytes'>[]): (one: Rows) => number {
  const all = [rows, ...among];
  const knowsTokens = all.every(({ sequence }) => sequence !== null);
  const knowsRows = all.every(({ sequences }) => sequences !== null);
  return ({ batch, sequence, sequences }) =>
    batch * (knowsTokens ? (sequence ?? 1) : 1) * (knowsRows ? (sequences ?? 1) : 1);
}
