import type { Tokens } from './tokenize';

/** Texts that go through the model together: rows of one length, shorter ones filled up. */
export interface Batch {
  /** Places in the window, in the order of the batch's rows. */
  readonly places: readonly number[];
  /** Tokens of the longest. */
  readonly width: number;
}

/** On a CPU a text of so many tokens fills its cache by itself; no one's end has to be filled up for it. */
export const ALONE_FROM = 192;

export interface BatchLimits {
  /** Texts a batch at most. */
  readonly rows: number;
  /** Texts of so many tokens are a batch each. */
  readonly aloneFrom: number;
}

/**
 * Batches of a window: texts by length, longest first, as many together as fill `budget` (rows × longest). A text longer than
 * the budget is its own batch. Longest first: memory is at its largest at once, and the last batch is the quickest.
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

/** A batch as the workers take it: plain numbers that can be handed over. */
export interface PackedBatch {
  readonly rows: number;
  readonly width: number;
  /** `rows × width` tokens, 0 behind the end of each text. */
  readonly ids: Int32Array<ArrayBuffer>;
  readonly lengths: Int32Array<ArrayBuffer>;
  /** Tokens at each text's begin that take no part in the pooling. */
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
