import { isUnknown } from '../spec/quantity';
import type { Rule, RuleContext } from './rule';
import { TRL } from './dialectGroups';
import { isOff, textOf } from './raw';
import { atLeast, change, equals, off, on, when } from './when';

export const packingWithoutFlash: Rule = {
  id: 'packing-without-flash',
  severity: 'warning',
  summary: 'Packing needs flash attention: otherwise packed samples attend to each other.',
  sources: ['trl 1.13 trainer/sft_trainer.py L1236: “may lead to cross-contamination between samples”'],
  dialects: TRL,
  check: when(
    [
      atLeast('trl', '0.19'),
      equals('task', 'sft'),
      on('packing'),
      off('use_flash_attention_2'),
      bestFit,
      withoutFlash,
    ],
    (quote, { run }) => ({
      at: ['packing'],
      message:
        `${quote('packing')} with ${run.quantities.attention.value ?? ''} attention lets the samples of a row attend to each other: only flash attention keeps them apart. ` +
        'Set attn_implementation to flash_attention_2.',
      remedies: [change('Use flash attention', { quantity: 'attention', to: 'flash_attention_2' })],
    }),
  ),
};

/** `wrapped` cuts text into rows and mixes samples by design. */
function bestFit(context: RuleContext): boolean {
  return isOff(context, 'packing_strategy') || /^(?:bfd|ffd)/.test(textOf(context, 'packing_strategy') ?? '');
}

function withoutFlash({ run }: RuleContext): boolean {
  const { attention } = run.quantities;
  return !isUnknown(attention) && attention.value !== null && !/flash|flex/i.test(attention.value);
}
