import { ON_TRAINER, TRL } from './rule';
import type { Rule } from './rule';
import { atLeast, equals, not, on, setKey, when } from './when';

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
    (quote, { say }) => ({
      at: ['auto_find_batch_size'],
      message: say(
        '{0} shrinks the effective batch size after each out-of-memory error. It lowers the micro-batch size and keeps the accumulation. Set a micro-batch size that fits.',
        quote('auto_find_batch_size'),
      ),
    }),
  ),
};

export const autoBatchWithGrpo: Rule = {
  id: 'auto-batch-with-grpo',
  severity: 'error',
  summary: 'GRPO does not work with `auto_find_batch_size`.',
  sources: ['trl 1.9 trainer/grpo_config.py: “auto_find_batch_size is not supported by GRPO”'],
  dialects: TRL,
  check: when(
    [atLeast('trl', '1.9'), equals('task', 'grpo'), on('auto_find_batch_size')],
    (quote, { say }) => ({
      at: ['auto_find_batch_size'],
      message: say(
        'TRL rejects {0} for GRPO: a smaller batch would break the groups of completions. Set it to false and lower per_device_train_batch_size.',
        quote('auto_find_batch_size'),
      ),
      remedies: [setKey('auto_find_batch_size', false)],
    }),
  ),
};

export const autoBatchWithZero3: Rule = {
  id: 'auto-batch-with-zero3',
  severity: 'error',
  summary: '`auto_find_batch_size` does not work with ZeRO-3.',
  sources: [
    "transformers 5.18 trainer.py L883: “`auto_find_batch_size` isn't supported yet with DeepSpeed Zero-3.”",
  ],
  dialects: ON_TRAINER,
  check: when([equals('zeroStage', 3), on('auto_find_batch_size')], (quote, { say }) => ({
    at: ['auto_find_batch_size'],
    message: say(
      'The trainer rejects {0} with ZeRO-3. Set it to false, and choose a batch that fits.',
      quote('auto_find_batch_size'),
    ),
    remedies: [setKey('auto_find_batch_size', false)],
  })),
};
