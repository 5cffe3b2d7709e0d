import { numberOf } from '../raw';
import type { Rule } from '../rule';
import { quoted, setKey } from '../when';

// What the embedding-batch guide asks of its own config.

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
      `${quoted(context, IMPORT)} and ${quoted(context, GPU)} must be the same, says the embedding-batch guide: papers are embedded ${taken} at a time, ` +
      `but ${handed} are passed.`;
    return [{ at: [IMPORT, GPU], message, remedies: [setKey(IMPORT, taken)] }];
  },
};

const CPU = 'import.batch_size';

export const embeddingPartialBatches: Rule = {
  id: 'embedding-partial-batches',
  severity: 'information',
  summary: "The CPU batch size isn't a multiple of the GPU batch size, which leaves partial batches.",
  sources: ['embedding-batch guide, Optimal Relationship'],
  dialects: ['guide-embedding'],
  check(context) {
    const cpu = numberOf(context, CPU);
    const gpu = numberOf(context, GPU);
    if (cpu === null || gpu === null || gpu < 1 || cpu % gpu === 0) return [];
    const whole = Math.max(1, Math.round(cpu / gpu)) * gpu;
    const message =
      `${quoted(context, CPU)} isn't a multiple of ${quoted(context, GPU)}: the last of each ${Math.ceil(cpu / gpu)} passes ` +
      `embeds ${cpu % gpu}. Use ${whole}.`;
    return [{ at: [CPU], message, remedies: [setKey(CPU, whole)] }];
  },
};
