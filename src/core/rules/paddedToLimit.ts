import { groupDigits } from '../units';
import { LEAST_SHARE, lessTime, stepRatio, timedStep } from './gain';
import { isOn } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { change, setKey } from './when';

const KEY = 'pad_to_sequence_len';

export const paddedToLimit: Rule = {
  id: 'padded-to-limit',
  severity: 'hint',
  summary: 'Rows are padded to the limit without packing, so short rows take as long as the longest.',
  sources: [
    'axolotl 0.18 core/builders/causal.py L387-392: without pad_to_sequence_len, batches are padded to their longest row',
    'the speed model: time of rows of half the limit (docs/speed.md)',
  ],
  dialects: AXOLOTL,
  check(context) {
    const { packing, task, seqLen } = context.run.quantities;
    if (!isOn(context, KEY) || packing.value !== false || task.value !== 'sft') return [];
    if (seqLen.value === null) return [];
    const step = isCounted(context) ? null : timedStep(context);
    const half = Math.round(seqLen.value / 2);
    const ratio = step && stepRatio(context, step.speed, [{ quantity: 'seqLen', to: half }]);
    if (ratio === null || 1 - ratio < LEAST_SHARE) return [];
    const message =
      `Each row is padded to ${groupDigits(seqLen.value)} tokens: half as long, it takes ${lessTime(1 - ratio)}. ` +
      'Pad to the longest row of a batch, or pack rows.';
    const remedies = [setKey(KEY, false), change('Pack the rows', { quantity: 'packing', to: true })];
    return [{ at: [KEY], message, remedies }];
  },
};

/** Another rule knows how long the rows are. */
const isCounted = ({ data }: RuleContext): boolean => data !== undefined && data !== null && !data.isStale;
