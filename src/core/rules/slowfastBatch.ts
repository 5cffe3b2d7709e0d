import type { Rule } from './rule';
import { numberOf } from './raw';
import { quoted } from './when';

const GPUS = 'NUM_GPUS';

export const slowfastBatch: Rule = {
  id: 'slowfast-batch',
  severity: 'error',
  summary: "The batch size of a machine isn't divisible by its GPUs.",
  sources: [
    'slowfast/config/defaults.py, assert_and_infer_cfg: assert cfg.NUM_GPUS == 0 or cfg.TRAIN.BATCH_SIZE % cfg.NUM_GPUS == 0',
  ],
  dialects: ['yacs-slowfast'],
  check(context) {
    const gpus = numberOf(context, GPUS);
    if (gpus === null || gpus < 2) return [];
    return ['TRAIN.BATCH_SIZE', 'TEST.BATCH_SIZE'].flatMap(key => {
      const batch = numberOf(context, key);
      if (batch === null || batch % gpus === 0) return [];
      const message = `${quoted(context, key)} must be a multiple of ${quoted(context, GPUS)}: SlowFast fails an assertion.`;
      return [{ at: [key], message }];
    });
  },
};
