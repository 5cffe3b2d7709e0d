import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { exactly, on, setKey, when } from './when';

export const batchFlattening: Rule = {
  id: 'batch-flattening',
  severity: 'error',
  summary: '`batch_flattening` and `sample_packing` are both on.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_batch_flattening_fa'],
  dialects: AXOLOTL,
  check: when([exactly('batch_flattening', true), on('sample_packing')], quote => ({
    at: ['batch_flattening'],
    message: `Axolotl rejects ${quote('batch_flattening')} with ${quote('sample_packing')}, which already leaves no padding. Set batch_flattening to false.`,
    remedies: [setKey('batch_flattening', false)],
  })),
};
