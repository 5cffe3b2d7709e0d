import type { DatasetRef } from '../core/spec/dataset';
import { recordsIn } from './rows';

/** Rows that tell how large the others are. */
const FIRST_ROWS = 200;

interface Sized {
  readonly ref: DatasetRef;
  readonly file: { readonly path: string; readonly bytes: number };
}

/** How much of the data is tokenised. */
export interface SampleWishes {
  /** Rows that are tokenised where there are more; null: all. */
  readonly samples: number | null;
  /** Data of so many bytes are tokenised whole. */
  readonly wholeBytes: number;
}

/** The share of rows to tokenise, so that about so many are; 1 for all. */
export async function shareFor(
  sources: readonly Sized[],
  { samples, wholeBytes }: SampleWishes,
): Promise<number> {
  const bytes = sources.reduce((all, { file }) => all + file.bytes, 0);
  const [first] = sources;
  if (samples === null || bytes <= wholeBytes || !first) return 1;
  return Math.min(1, samples / (bytes / (await bytesPerRow(first))));
}

/** Of the first rows of a file, as JSON would have them; in a file that cannot be read 1. */
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

/** Whether a row is in the sample: by its number alone, spread evenly, the same each time (Knuth’s multiplicative hash). */
export function isTaken(row: number, share: number): boolean {
  if (share >= 1) return true;
  let hash = Math.imul(row, 2_654_435_761) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0;
  hash = (hash ^ (hash >>> 13)) >>> 0;
  return hash < share * 2 ** 32;
}
