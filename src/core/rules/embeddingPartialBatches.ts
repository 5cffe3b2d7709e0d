import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

const CPU = 'import.batch_size';
const GPU = 'embeddings.batch_size';

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
