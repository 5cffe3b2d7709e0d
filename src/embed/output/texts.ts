import type { Hash } from 'node:crypto';
import type { Row } from '../input/rows';

/** What takes part in a shard's digest of its texts: their lengths keep them apart. */
export function addTexts(hash: Hash, rows: readonly Row[]): void {
  for (const { text } of rows) hash.update(`${Buffer.byteLength(text)}\n${text}\n`);
}
