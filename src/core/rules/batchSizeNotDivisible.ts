import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOff, numberOf } from './raw';
import { quoted } from './when';

export const batchSizeNotDivisible: Rule = {
  id: 'batch-size-not-divisible',
  severity: 'warning',
  summary: '`batch_size` is not a multiple of `micro_batch_size`: the accumulation is rounded down.',
  sources: ['axolotl 0.18 utils/config/__init__.py normalize_config: batch_size // micro_batch_size'],
  dialects: AXOLOTL,
  check(context) {
    const micro = numberOf(context, 'micro_batch_size');
    const batch = numberOf(context, 'batch_size');
    if (!micro || !batch || micro < 0 || !isOff(context, 'gradient_accumulation_steps')) return [];
    if (batch % micro === 0) return [];
    const steps = Math.floor(batch / micro);
    const message =
      `${quoted(context, 'batch_size')} is not a multiple of ${quoted(context, 'micro_batch_size')}: Axolotl rounds the accumulation down to ${steps}, ` +
      `so a step has ${steps * micro} samples per GPU instead of ${batch}. Make it a multiple.`;
    return [{ at: ['batch_size'], message }];
  },
};
