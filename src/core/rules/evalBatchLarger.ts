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
      `${quoted(context, 'eval_batch_size')} is larger than ${quoted(context, 'micro_batch_size')}: evaluation keeps the logits of all its rows ` +
      'in memory and can run out of it after hours of training. Remove it to use the training batch size.';
    return [{ at: ['eval_batch_size'], message, remedies: [setKey('eval_batch_size', micro)] }];
  },
};
