import { scalarsOf } from '../spec/scalarKeys';
import type { ScalarKey } from '../spec/scalarKeys';
import { groupDigits } from '../units';
import { LEAST_SHARE, lessTime, stepRatio, timedStep } from './gain';
import type { Rule, RuleContext } from './rule';
import { change, setKey } from './when';

const PADS = /^pad_to_(?:sequence_len|max_length)$/;

export const paddedToLimit: Rule = {
  id: 'padded-to-limit',
  severity: 'hint',
  summary: 'Rows are padded to the limit without packing, so short rows take as long as the longest.',
  sources: [
    'axolotl 0.18 core/builders/causal.py L387-392: without pad_to_sequence_len, batches are padded to their longest row',
    'transformers examples, `--pad_to_max_length`: “Otherwise will pad the samples dynamically when batching to the maximum length in the batch”',
    'the speed model: time of rows of half the limit (docs/speed.md)',
  ],
  check(context) {
    const { packing, seqLen } = context.run.quantities;
    const key = scalarsOf(context.run).find(isPadding);
    if (!key || packing.value === true || seqLen.value === null) return [];
    const step = isCounted(context) ? null : timedStep(context, 'same');
    const half = Math.round(seqLen.value / 2);
    const ratio = step && stepRatio(context, step.speed, [{ quantity: 'seqLen', to: half }]);
    if (ratio === null || 1 - ratio < LEAST_SHARE) return [];
    const message = context.say(
      'Each row is padded to {0} tokens: half as long, it takes {1}. Pad to the longest row of a batch, or pack rows.',
      groupDigits(seqLen.value),
      lessTime(context.say, 1 - ratio),
    );
    const longest = setKey(key.path, key.value === true ? false : 'longest');
    return [
      {
        at: [key.path],
        message,
        remedies: [longest, change(context.say('Pack the rows'), { quantity: 'packing', to: true })],
      },
    ];
  },
};

/** `padding: max_length` are the words of a tokenizer's call. */
const isPadding = ({ name, value }: ScalarKey): boolean =>
  (PADS.test(name) && value === true) || (name === 'padding' && value === 'max_length');

/** Another rule knows how long the rows are. */
const isCounted = ({ data }: RuleContext): boolean => data !== undefined && data !== null && !data.isStale;
