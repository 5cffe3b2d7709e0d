import type { KeyWrite, WriterTable } from '../dialect';
import { count } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { batchKey, sectionOf } from './rules';

const EMBEDDING_BATCH_KEY = 'import.embedding_batch_size';
const IMPORTED = 'import.batch_size';

/**
 * An importer passes as many texts to the embedder as it takes at a time; the importer's batch is a multiple of
 * that.
 */
export function passedBatchWrites(to: number, run: RunReader): readonly KeyWrite[] {
  if (!run.has(EMBEDDING_BATCH_KEY)) return [];
  const imported = run.read(IMPORTED, count);
  const isMultiple = imported === null || imported % to === 0;
  const whole = Math.max(1, Math.round((imported ?? to) / to)) * to;
  return [{ key: EMBEDDING_BATCH_KEY, value: to }, ...(isMultiple ? [] : [{ key: IMPORTED, value: whole }])];
}

/** Only writes the batch on the GPU and the importer's; batches of databases stay. */
export const embeddingsWriters: WriterTable = {
  microBatchSize: (to, run) => ({
    ok: true,
    writes: [
      { key: batchKey(run), value: to, near: [`${sectionOf(run) ?? 'embeddings'}.device`] },
      ...passedBatchWrites(to, run),
    ],
  }),
};
