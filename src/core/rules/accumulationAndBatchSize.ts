import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { on, when } from './when';

export const accumulationAndBatchSize: Rule = {
  id: 'accumulation-and-batch-size',
  severity: 'error',
  summary: '`gradient_accumulation_steps` and `batch_size` are both set.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_gas_bsz'],
  dialects: AXOLOTL,
  check: when([on('gradient_accumulation_steps', 'batch_size')], quote => ({
    at: ['batch_size'],
    message:
      `Axolotl rejects ${quote('batch_size')} together with ${quote('gradient_accumulation_steps')}: each determines the other. ` +
      'Remove batch_size.',
  })),
};
