import type { WriterTable } from '../dialect';
import { batchKey, sectionOf } from './rules';
import { refuse } from '../shared/writing';

/** Only the batch on the GPU is written: those of imports and of databases stay. */
export const embeddingsWriters: WriterTable = {
  microBatchSize: (to, run) => ({
    ok: true,
    writes: [{ key: batchKey(run), value: to, near: [`${sectionOf(run) ?? 'embeddings'}.device`] }],
  }),
  seqLen: (to, run) => {
    const { origin } = run.get('seqLen');
    return 'at' in origin
      ? { ok: true, writes: [{ key: origin.at.path, value: to }] }
      : refuse('The pipeline has no key for the length.');
  },
  loadDtype: () => refuse('How weights are loaded is the pipeline’s own code.'),
  precision: () => refuse('How weights are loaded is the pipeline’s own code.'),
  quantization: () => refuse('The pipeline has no key for quantised weights.'),
  attention: () => refuse('The pipeline has no key for attention.'),
  method: () => refuse('Nothing is trained.'),
  optimizer: () => refuse('Nothing is trained.'),
  gradientCheckpointing: () => refuse('Nothing is trained.'),
};
