import type { Pooling } from '../folder/pooling';

/** Vectors of a batch's tokens: `[rows, width, size]`. */
interface TokenVectors {
  readonly data: Float32Array;
  readonly rows: number;
  readonly width: number;
  readonly size: number;
  /** The number of tokens of each row's text. */
  readonly lengths: Int32Array;
  readonly skipped: number;
}

/** One vector per row; several poolings are concatenated (sentence_transformers/models/Pooling.py). */
export function pooled(tokens: TokenVectors, poolings: readonly Pooling[]): Float32Array<ArrayBuffer> {
  const { rows, size } = tokens;
  const out = new Float32Array(rows * size * poolings.length);
  for (let row = 0; row < rows; row++) {
    for (const [i, pooling] of poolings.entries()) {
      const at = (row * poolings.length + i) * size;
      pool[pooling](tokens, row, out.subarray(at, at + size));
    }
  }
  return out;
}

type Pool = (tokens: TokenVectors, row: number, out: Float32Array) => void;

const pool: Readonly<Record<Pooling, Pool>> = {
  cls: (tokens, row, out) => copy(tokens, row, 0, out),
  lasttoken: (tokens, row, out) => copy(tokens, row, Math.max(0, (tokens.lengths[row] ?? 1) - 1), out),
  mean: (tokens, row, out) => divide(out, sum(tokens, row, out)),
  mean_sqrt_len_tokens: (tokens, row, out) => divide(out, Math.sqrt(sum(tokens, row, out))),
  weightedmean: weighted,
  max: maximum,
};

function copy({ data, width, size }: TokenVectors, row: number, token: number, out: Float32Array): void {
  const at = (row * width + token) * size;
  out.set(data.subarray(at, at + size));
}

/** Adds up the row's tokens; returns their number. */
function sum({ data, width, size, lengths, skipped }: TokenVectors, row: number, out: Float32Array): number {
  const length = lengths[row] ?? 0;
  for (let token = skipped; token < length; token++) {
    const at = (row * width + token) * size;
    for (let i = 0; i < size; i++) out[i] = (out[i] ?? 0) + (data[at + i] ?? 0);
  }
  return Math.max(1, length - skipped);
}

function divide(out: Float32Array, by: number): void {
  for (let i = 0; i < out.length; i++) out[i] = (out[i] ?? 0) / by;
}

/** Later tokens have more weight: 1, 2, … */
function weighted(
  { data, width, size, lengths, skipped }: TokenVectors,
  row: number,
  out: Float32Array,
): void {
  let weights = 0;
  for (let token = skipped; token < (lengths[row] ?? 0); token++) {
    const at = (row * width + token) * size;
    const weight = token + 1;
    weights += weight;
    for (let i = 0; i < size; i++) out[i] = (out[i] ?? 0) + weight * (data[at + i] ?? 0);
  }
  divide(out, Math.max(1, weights));
}

function maximum(
  { data, width, size, lengths, skipped }: TokenVectors,
  row: number,
  out: Float32Array,
): void {
  out.fill(-Infinity);
  for (let token = skipped; token < (lengths[row] ?? 0); token++) {
    const at = (row * width + token) * size;
    for (let i = 0; i < size; i++) out[i] = Math.max(out[i] ?? 0, data[at + i] ?? 0);
  }
}

/** The leading components of each vector, normalized to length 1 if requested. A zero vector stays zero. */
export function finished(
  vectors: Float32Array<ArrayBuffer>,
  size: number,
  dimensions: number,
  normalize: boolean,
): Float32Array<ArrayBuffer> {
  const rows = vectors.length / size;
  const out = dimensions === size ? vectors : new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const vector = out.subarray(row * dimensions, (row + 1) * dimensions);
    if (out !== vectors) vector.set(vectors.subarray(row * size, row * size + dimensions));
    if (normalize) unit(vector);
  }
  return out;
}

function unit(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) divide(vector, Math.sqrt(squares));
}
