import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { atLeast, equals, on, setKey, when } from './when';

export const autoBatchWithGrpo: Rule = {
  id: 'auto-batch-with-grpo',
  severity: 'error',
  summary: 'GRPO does not work with `auto_find_batch_size`.',
  sources: ['trl 1.9 trainer/grpo_config.py: “auto_find_batch_size is not supported by GRPO”'],
  dialects: TRL,
  check: when([atLeast('trl', '1.9'), equals('task', 'grpo'), on('auto_find_batch_size')], quote => ({
    at: ['auto_find_batch_size'],
    message: `TRL rejects ${quote('auto_find_batch_size')} for GRPO: a smaller batch would break the groups of completions. Set it to false and lower per_device_train_batch_size.`,
    remedies: [setKey('auto_find_batch_size', false)],
  })),
};
