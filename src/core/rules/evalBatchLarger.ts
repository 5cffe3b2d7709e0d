import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

export const evalBatchLarger: Rule = {
  id: 'eval-batch-larger',
  severity: 'information',
  summary: 'Evaluation uses a larger batch than training.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py hint_eval_train_mbsz: “eval_batch_size != micro_batch_size. This can lead to VRAM instability.”',
  ],
  dialects: AXOLOTL,
  check(context) {
    const micro = numberOf(context, 'micro_batch_size');
    const evaluation = numberOf(context, 'eval_batch_size');
    if (micro === null || evaluation === null || evaluation <= micro) return [];
    const message =
      `${quoted(context, 'eval_batch_size')} is larger than ${quoted(context, 'micro_batch_size')}: evaluation holds the logits of all its rows ` +
      'at once and can run out of memory after hours of training. Leave it out, and evaluation follows training.';
    return [{ at: ['eval_batch_size'], message, remedies: [setKey('eval_batch_size', micro)] }];
  },
};
