import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';

/** The guide's range for contrastive learning. */
const LEAST = 256;
const MOST = 512;

export const contrastiveBatch: Rule = {
  id: 'contrastive-batch',
  severity: 'information',
  summary: 'The effective batch size is outside the 256–512 recommended for contrastive learning.',
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
    const why = batch < LEAST ? 'smaller batches have noisier gradients' : 'larger batches help little';
    const message =
      `The effective batch size is ${batch}${sum}; for contrastive learning, ${LEAST}–${MOST} is recommended because ${why}. ` +
      'accumulate_grad_batches changes it without changing memory.';
    return [{ at: ['training.trainer.accumulate_grad_batches', 'quantity:microBatchSize'], message }];
  },
};
