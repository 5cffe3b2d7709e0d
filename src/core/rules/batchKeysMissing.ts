import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOff, isOn } from './raw';

const KEYS = ['micro_batch_size', 'gradient_accumulation_steps', 'batch_size'];

export const batchKeysMissing: Rule = {
  id: 'batch-keys-missing',
  severity: 'error',
  summary: 'Two of `micro_batch_size`, `gradient_accumulation_steps` and `batch_size` must be set.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_batch_size_fields'],
  dialects: AXOLOTL,
  check(context) {
    const open = KEYS.filter(key => !isOff(context, key));
    if (open.length >= 2) return [];
    const which = open[0] !== undefined && isOn(context, open[0]) ? `only \`${open[0]}\` is` : 'none is';
    const message =
      `Axolotl needs two of micro_batch_size, gradient_accumulation_steps and batch_size, but ${which} set. ` +
      'Add micro_batch_size and gradient_accumulation_steps.';
    return [{ at: [...KEYS, 'base_model'], message }];
  },
};
