import type { Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';
import { equals, not, on, when } from './when';

export const autoBatchSize: Rule = {
  id: 'auto-batch-size',
  severity: 'hint',
  summary: '`auto_find_batch_size` shrinks the batch without raising the accumulation.',
  sources: [
    'accelerate 1.15 utils/memory.py find_executable_batch_size: batch × 0.9 after each out of memory',
  ],
  dialects: ON_TRAINER,
  check: when(
    [on('auto_find_batch_size'), not(equals('zeroStage', 3)), not(equals('task', 'grpo'))],
    quote => ({
      at: ['auto_find_batch_size'],
      message:
        `${quote('auto_find_batch_size')} lowers the micro-batch size after each out-of-memory error but keeps the accumulation, so the effective batch size shrinks. ` +
        'Set a micro-batch size that fits.',
    }),
  ),
};
