import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { not, stated, when } from './when';

export const sequenceLengthDefault: Rule = {
  id: 'sequence-length-default',
  severity: 'hint',
  summary: '`sequence_len` is not set: longer samples are dropped at 512 tokens.',
  sources: ['axolotl 0.18 utils/schemas/config.py L665: sequence_len 512; excess_length_strategy drop'],
  dialects: AXOLOTL,
  check: when([not(stated('sequence_len')), not(stated('excess_length_strategy'))], () => ({
    at: ['base_model'],
    message:
      '`sequence_len` is not set: Axolotl uses 512 tokens and drops longer samples. ' +
      'Set it to the length of your data.',
  })),
};
