import { isUnknown } from '../spec/quantity';
import { isOff, textOf } from './raw';
import { AXOLOTL, TRL } from './rule';
import type { Rule, RuleContext } from './rule';
import { atLeast, change, equals, exactly, holdsNull, off, on, setKey, when } from './when';

export const batchFlattening: Rule = {
  id: 'batch-flattening',
  severity: 'error',
  summary: '`batch_flattening` and `sample_packing` are both on.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_batch_flattening_fa'],
  dialects: AXOLOTL,
  check: when([exactly('batch_flattening', true), on('sample_packing')], (quote, { say }) => ({
    at: ['batch_flattening'],
    message: say(
      'Axolotl rejects {0} with {1}, which already leaves no padding. Set batch_flattening to false.',
      quote('batch_flattening'),
      quote('sample_packing'),
    ),
    remedies: [setKey('batch_flattening', false)],
  })),
};

export const packingWithRl: Rule = {
  id: 'packing-with-rl',
  severity: 'error',
  summary: 'Sample packing does not work with preference and reinforcement training.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_sample_packing_w_rl'],
  dialects: AXOLOTL,
  check: when([on('sample_packing', 'rl')], (quote, { say }) => ({
    at: ['sample_packing'],
    message: say(
      'Axolotl rejects {0} with {1}. Set sample_packing to false.',
      quote('sample_packing'),
      quote('rl'),
    ),
    remedies: [setKey('sample_packing', false)],
  })),
};

export const packingWithoutLength: Rule = {
  id: 'packing-without-length',
  severity: 'error',
  summary: '`packing` needs a length.',
  sources: [
    "trl 1.13 trainer/sft_trainer.py L1666: “When packing is enabled, `max_length` can't be `None`.”",
  ],
  dialects: TRL,
  check: when([equals('task', 'sft'), on('packing'), holdsNull('max_length')], (quote, { say }) => ({
    at: ['max_length'],
    message: say(
      'TRL rejects {0} with `max_length: null`: rows need a length. Set max_length.',
      quote('packing'),
    ),
  })),
};

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
    (quote, { run, say }) => ({
      at: ['packing'],
      message: say(
        '{0} with {1} attention mixes the samples of a row. Only flash attention keeps them apart. Set attn_implementation to flash_attention_2.',
        quote('packing'),
        run.quantities.attention.value ?? '',
      ),
      remedies: [change(say('Use flash attention'), { quantity: 'attention', to: 'flash_attention_2' })],
    }),
  ),
};

/** `wrapped` cuts text into rows and mixes samples on purpose. */
function bestFit(context: RuleContext): boolean {
  return isOff(context, 'packing_strategy') || /^(?:bfd|ffd)/.test(textOf(context, 'packing_strategy') ?? '');
}

function withoutFlash({ run }: RuleContext): boolean {
  const { attention } = run.quantities;
  return !isUnknown(attention) && attention.value !== null && !/flash|flex/i.test(attention.value);
}

const CHOICES = [
  'attn_implementation',
  'flash_attention',
  'sdp_attention',
  'xformers_attention',
  'flex_attention',
  'sage_attention',
  'eager_attention',
  'gemma4_hybrid_attn_impl',
];

export const packingWithoutIsolation: Rule = {
  id: 'packing-without-isolation',
  severity: 'warning',
  summary: 'No attention backend is set, so packed samples attend to each other.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_sample_packing_without_attention: “does not handle cross-sample decontamination”',
  ],
  dialects: AXOLOTL,
  check: when([on('sample_packing'), off(...CHOICES), off('rl'), notStateSpace], (quote, { say }) => ({
    at: ['sample_packing'],
    message: say(
      '{0} without an attention backend mixes the samples of a row. Set attn_implementation to flash_attention_2, or to sdpa where that does not run.',
      quote('sample_packing'),
    ),
    remedies: [setKey('attn_implementation', 'flash_attention_2')],
  })),
};

/** Models without attention have no implementation to choose. */
function notStateSpace({ run }: RuleContext): boolean {
  return !/mamba|rwkv/i.test(run.quantities.model.value ?? '');
}
