import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { on, setKey, when } from './when';

export const packingWithRl: Rule = {
  id: 'packing-with-rl',
  severity: 'error',
  summary: 'Sample packing does not work with preference and reinforcement training.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_sample_packing_w_rl'],
  dialects: AXOLOTL,
  check: when([on('sample_packing', 'rl')], quote => ({
    at: ['sample_packing'],
    message: `Axolotl rejects ${quote('sample_packing')} with ${quote('rl')}. Set sample_packing to false.`,
    remedies: [setKey('sample_packing', false)],
  })),
};
