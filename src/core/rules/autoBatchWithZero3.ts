import type { Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';
import { equals, on, setKey, when } from './when';

export const autoBatchWithZero3: Rule = {
  id: 'auto-batch-with-zero3',
  severity: 'error',
  summary: '`auto_find_batch_size` does not work with ZeRO-3.',
  sources: [
    "transformers 5.18 trainer.py L883: “`auto_find_batch_size` isn't supported yet with DeepSpeed Zero-3.”",
  ],
  dialects: ON_TRAINER,
  check: when([equals('zeroStage', 3), on('auto_find_batch_size')], quote => ({
    at: ['auto_find_batch_size'],
    message: `The trainer rejects ${quote('auto_find_batch_size')} with ZeRO-3. Set it to false, and choose a batch that fits.`,
    remedies: [setKey('auto_find_batch_size', false)],
  })),
};
