import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn } from './raw';
import { listed, quoted } from './when';

const KEYS = [
  'cut_cross_entropy',
  'chunked_cross_entropy',
  'liger_cross_entropy',
  'liger_fused_linear_cross_entropy',
];

export const crossEntropyTwice: Rule = {
  id: 'cross-entropy-twice',
  severity: 'error',
  summary: 'Several replacements of the cross-entropy loss are on.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_cross_entropy_conflicts (since 0.13.1)'],
  dialects: AXOLOTL,
  check(context) {
    const set = KEYS.filter(key => isOn(context, key));
    if (set.length < 2) return [];
    const message = `Axolotl rejects ${listed(set.map(key => quoted(context, key)))} together: only one can compute the loss. Keep one.`;
    return [{ at: set.slice(1), message }];
  },
};
