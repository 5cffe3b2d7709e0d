import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { numberOf } from './raw';
import { anyOn, is, when } from './when';

export const fsdp2QuantisedPreference: Rule = {
  id: 'fsdp2-quantised-preference',
  severity: 'error',
  summary: 'FSDP2 does not train quantized models on preferences.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fsdp2_base_model_quant_rl'],
  dialects: AXOLOTL,
  check: when(
    [version2, is('rl', 'dpo', 'kto', 'orpo', 'ipo'), anyOn('load_in_4bit', 'load_in_8bit')],
    quote => ({
      at: ['fsdp_version'],
      message:
        `Axolotl rejects a quantized base model with ${quote('rl')} under ${quote('fsdp_version')}. ` +
        'Use DeepSpeed, or load the model unquantized.',
    }),
  ),
};

function version2(context: RuleContext): boolean {
  return numberOf(context, 'fsdp_version') === 2;
}
