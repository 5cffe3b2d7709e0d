import type { MeasuredPoint } from '../../models/described';
import type { Spread } from '../interval';
import type { Term } from '../estimate';

/** What one step of a run computes. */
export interface Rows {
  readonly batch: number;
  readonly sequence: number | null;
  readonly sequences: number | null;
}

/** What a description means for a run. */
export interface Described {
  readonly bytes: number;
  readonly spread: Spread;
  readonly terms: readonly Term[];
  /** What is taken for granted. */
  readonly says: string;
}

/**
 * How much a step computes, in what all of these say: samples, times tokens where each says how long a row is, times rows
 * of a sample where each says how many there are.
 */
export function loadOf(rows: Rows, among: readonly Omit<MeasuredPoint, 'bytes'>[]): (one: Rows) => number {
  const all = [rows, ...among];
  const knowsTokens = all.every(({ sequence }) => sequence !== null);
  const knowsRows = all.every(({ sequences }) => sequences !== null);
  return ({ batch, sequence, sequences }) =>
    batch * (knowsTokens ? (sequence ?? 1) : 1) * (knowsRows ? (sequences ?? 1) : 1);
}
