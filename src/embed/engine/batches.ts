import type { Tokens } from './tokenize';

/** Texts that go through the model together: rows of one length, with shorter ones padded. */
export interface Batch {
  /** Indices in the window, in the order of the batch's rows. */
  readonly places: readonly number[];
  /** Tokens of the longest text. */
  readonly width: number;
}

/**
 * On a CPU a text of this many tokens fills the cache by itself, so padding others to its length does not pay off.
 */
export const ALONE_FROM_TOKENS = 192;

export interface BatchLimits {
  /** The maximum number of texts per batch. */
  readonly rows: number;
  /** A text with this many tokens is a batch of its own. */
  readonly aloneFrom: number;
}

/**
 * The batches of a window: texts by length, longest first, as many together as fill `budget` (rows × longest). A
 * longer text is its own batch. Longest first means that memory peaks immediately, and the last batch is the
 * quickest.
 */
export function batchesOf(lengths: readonly number[], budget: number, most: BatchLimits): readonly Batch[] {
  const order = lengths
    .map((_, place) => place)
    .sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);
  const batches: Batch[] = [];
  for (let first = 0; first < order.length;) {
    const width = lengths[order[first] ?? 0] ?? 0;
    const fitting = Math.min(most.rows, Math.floor(budget / Math.max(1, width)));
    const rows = width >= most.aloneFrom ? 1 : Math.max(1, fitting);
    batches.push({ places: order.slice(first, first + rows), width });
    first += rows;
  }
  return batches;
}

/** A batch for the workers: plain arrays that can be transferred. */
export interface PackedBatch {
  readonly rows: number;
  readonly width: number;
  /** `rows × width` tokens, padded with 0 after each text. */
  readonly ids: Int32Array<ArrayBuffer>;
  readonly lengths: Int32Array<ArrayBuffer>;
  /** Tokens at the start of each text that are excluded from pooling. */
  readonly skipped: number;
}

export function packed(batch: Batch, tokens: readonly Tokens[]): PackedBatch {
  const { places, width } = batch;
  const ids = new Int32Array(places.length * width);
  const lengths = new Int32Array(places.length);
  let skipped = 0;
  for (const [row, place] of places.entries()) {
    const text = tokens[place];
    if (!text) continue;
    ids.set(text.ids, row * width);
    lengths[row] = text.ids.length;
    skipped = text.skipped;
  }
  return { rows: places.length, width, ids, lengths, skipped };
}
