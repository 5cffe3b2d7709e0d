import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';
import { setKey } from './when';

const KEY = 'training.trainer.accumulate_grad_batches';
/** Above this the guide sees diminishing returns. */
const MOST = 512;

export const ddpAccumulation: Rule = {
  id: 'ddp-accumulation',
  severity: 'information',
  summary: 'Several GPUs multiply the effective batch size: accumulate proportionally less.',
  sources: [
    'training-memory guide, FAQ “Can I train on multiple GPUs?”: reduce accumulate_grad_batches proportionally',
  ],
  dialects: GUIDE,
  check({ run }) {
    const { gpus, gradAccum, effectiveBatch } = run.quantities;
    const devices = gpus.value ?? 1;
    const steps = gradAccum.value ?? 1;
    const batch = effectiveBatch.value ?? 0;
    if (devices < 2 || steps < 2 || batch <= MOST) return [];
    const fewer = Math.max(1, Math.round(steps / devices));
    const message =
      `On ${devices} GPUs the effective batch size is ${batch}: each GPU processes its own batch_size. ` +
      `Accumulate ${fewer} instead of ${steps} steps to get the batch size of one GPU, only faster.`;
    return [{ at: [KEY, 'quantity:gpus'], message, remedies: [setKey(KEY, fewer)] }];
  },
};
