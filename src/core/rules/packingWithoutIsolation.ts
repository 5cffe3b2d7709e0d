import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { off, on, setKey, when } from './when';

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
  check: when([on('sample_packing'), off(...CHOICES), off('rl'), notStateSpace], quote => ({
    at: ['sample_packing'],
    message:
      `${quote('sample_packing')} without an attention backend lets the samples of a row attend to each other. ` +
      'Set attn_implementation to flash_attention_2, or to sdpa where that does not run.',
    remedies: [setKey('attn_implementation', 'flash_attention_2')],
  })),
};

/** Models without attention have nothing to choose. */
function notStateSpace({ run }: RuleContext): boolean {
  return !/mamba|rwkv/i.test(run.quantities.model.value ?? '');
}
