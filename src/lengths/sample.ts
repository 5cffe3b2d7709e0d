import type { DatasetRef } from '../core/spec/dataset';
import { recordsIn } from './rows';

/** The size of the other rows is extrapolated from these. */
const FIRST_ROWS = 200;

interface Sized {
  readonly ref: DatasetRef;
  readonly file: { readonly path: string; readonly bytes: number };
}

/** How much of the data to tokenize. */
export interface SampleOptions {
  /** The number of rows to tokenize if there are more; null: all. */
  readonly samples: number | null;
  /** Data up to this size are tokenized completely. */
  readonly wholeBytes: number;
}

/** The share of rows that gives about the wanted number of samples; 1 for all. */
export async function shareFor(
  sources: readonly Sized[],
  { samples, wholeBytes }: SampleOptions,
): Promise<number> {
  const bytes = sources.reduce((all, { file }) => all + file.bytes, 0);
  const [first] = sources;
  if (samples === null || bytes <= wholeBytes || !first) return 1;
  return Math.min(1, samples / (bytes / (await bytesPerRow(first))));
}

/** Average JSON size of the first rows of a file; 1 if the file cannot be read. */
async function bytesPerRow({ ref, file }: Sized): Promise<number> {
  try {
    for await (const records of recordsIn(file.path, ref, { aborted: false })) {
      const some = records.slice(0, FIRST_ROWS);
      const texts = some.map(({ fields }) =>
        JSON.stringify(fields, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
      );
      if (some.length > 0) return Math.max(1, Buffer.byteLength(texts.join('\n')) / some.length);
    }
  } catch {
    return 1;
  }
  return 1;
}

/**
 * Whether a row is in the sample: depends only on its number, evenly spread and repeatable (Knuth’s multiplicative
 * hash).
 */
export function isTaken(row: number, share: number): boolean {
  if (share >= 1) return true;
  let hash = Math.imul(row, 2_654_435_761) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0;
  hash = (hash ^ (hash >>> 13)) >>> 0;
  return hash < share * 2 ** 32;
}
