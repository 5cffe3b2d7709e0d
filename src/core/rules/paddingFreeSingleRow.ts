import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { equals, off, on, when } from './when';

export const paddingFreeSingleRow: Rule = {
  id: 'padding-free-single-row',
  severity: 'hint',
  summary: '`padding_free` has no effect on a micro-batch of one.',
  sources: ['trl 1.13 trainer/sft_trainer.py L1193'],
  dialects: TRL,
  check: when([equals('microBatchSize', 1), on('padding_free'), off('packing')], quote => ({
    at: ['padding_free'],
    message: `${quote('padding_free')} does nothing for a micro-batch of 1: a single row has no padding. Raise per_device_train_batch_size, or turn packing on.`,
  })),
};
