import { gainOf, lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

/** Transformers recommends eager attention for training these: other kernels leave out a cap of the scores. */
const WITH_CAPPED_SCORES = /^gemma[234]/;

export const eagerAttention: Rule = {
  id: 'eager-attention',
  severity: 'hint',
  summary: 'Eager attention writes all scores to memory; a fused kernel computes the same.',
  sources: [
    'Dao et al., arXiv 2205.14135',
    'transformers models/gemma2/modeling_gemma2.py: “It is strongly recommended to train Gemma2 models with the `eager` attention”',
  ],
  check(context) {
    const { run, model } = context;
    const isCapped = WITH_CAPPED_SCORES.test(model?.modelType ?? '');
    if (run.quantities.attention.value !== 'eager' || isCapped) return [];
    const step = timedStep(context);
    const fused = change('Use SDPA', { quantity: 'attention', to: 'sdpa' });
    const gain = step && gainOf(context, step.speed, fused.changes);
    if (!gain) return [];
    const message =
      `Eager attention is slow: ${lessTime(gain.share)} with SDPA, which writes no scores. ` +
      'The mathematics is the same.';
    return [{ at: ['quantity:attention', 'quantity:microBatchSize'], message, remedies: [fused] }];
  },
};
