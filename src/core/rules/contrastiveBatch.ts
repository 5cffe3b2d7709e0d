import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';

/** The guide's range for contrastive learning. */
const LEAST = 256;
const MOST = 512;

export const contrastiveBatch: Rule = {
  id: 'contrastive-batch',
  severity: 'information',
  summary: 'The effective batch is outside the 256–512 that the guide recommends for contrastive learning.',
  sources: [
    "training-memory guide, FAQ “What's the optimal effective batch size?” and “Maximize Training Quality”",
  ],
  dialects: GUIDE,
  check({ run }) {
    const { effectiveBatch, microBatchSize, gradAccum, gpus } = run.quantities;
    const batch = effectiveBatch.value;
    if (batch === null || (batch >= LEAST && batch <= MOST)) return [];
    const product = [microBatchSize, gradAccum, gpus].map(one => one.value);
    const sum = product.includes(null) ? '' : ` (${product.join(' × ')})`;
    const why = batch < LEAST ? 'gradients are noisier below it' : 'larger ones bring little';
    const message =
      `The effective batch is ${batch}${sum}; for contrastive learning the guide recommends ${LEAST}–${MOST}, as ${why}. ` +
      'accumulate_grad_batches changes it without changing memory.';
    return [{ at: ['training.trainer.accumulate_grad_batches', 'quantity:microBatchSize'], message }];
  },
};
