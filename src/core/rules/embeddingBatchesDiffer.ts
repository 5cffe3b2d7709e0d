import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

const IMPORT = 'import.embedding_batch_size';
const GPU = 'embeddings.batch_size';

export const embeddingBatchesDiffer: Rule = {
  id: 'embedding-batches-differ',
  severity: 'warning',
  summary: "The importer's batch size differs from the embedder's.",
  sources: ['embedding-batch guide, CPU Batch vs GPU Batch: “Must match embedding_batch_size”'],
  dialects: ['guide-embedding'],
  check(context) {
    const handed = numberOf(context, IMPORT);
    const taken = numberOf(context, GPU);
    if (handed === null || taken === null || handed === taken) return [];
    const message =
      `${quoted(context, IMPORT)} and ${quoted(context, GPU)} must be the same: papers are embedded ${taken} at a time, ` +
      `but ${handed} are passed.`;
    return [{ at: [IMPORT, GPU], message, remedies: [setKey(IMPORT, taken)] }];
  },
};
