import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { equals, holdsNull, on, when } from './when';

export const packingWithoutLength: Rule = {
  id: 'packing-without-length',
  severity: 'error',
  summary: '`packing` needs a length.',
  sources: [
    "trl 1.13 trainer/sft_trainer.py L1666: “When packing is enabled, `max_length` can't be `None`.”",
  ],
  dialects: TRL,
  check: when([equals('task', 'sft'), on('packing'), holdsNull('max_length')], quote => ({
    at: ['max_length'],
    message: `TRL rejects ${quote('packing')} with \`max_length: null\`: rows need a length. Set max_length.`,
  })),
};
