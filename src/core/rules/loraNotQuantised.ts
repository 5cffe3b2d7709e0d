import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { is, not, off, on, setKey, when } from './when';

export const loraNotQuantised: Rule = {
  id: 'lora-not-quantised',
  severity: 'warning',
  summary: '`adapter: lora` with `load_in_4bit` loads the base model in 16 bits.',
  sources: [
    'axolotl 0.18 loaders/model.py _set_quantization_config: 4 bits need adapter qlora, 8 bits adapter lora',
  ],
  dialects: AXOLOTL,
  check: when(
    [
      is('adapter', 'lora'),
      on('load_in_4bit'),
      off('load_in_8bit', 'quantize_moe_experts'),
      not(comesQuantised),
    ],
    quote => ({
      at: ['load_in_4bit'],
      message:
        `${quote('load_in_4bit')} does nothing with ${quote('adapter')}: Axolotl quantizes to 4 bits for qlora only, so the base ` +
        'model is held in 16 bits. Set adapter to qlora.',
      remedies: [setKey('adapter', 'qlora'), setKey('load_in_4bit', false)],
    }),
  ),
};

/** A checkpoint that is stored quantised is loaded as its own config says, whatever the keys. */
function comesQuantised({ run, model }: RuleContext): boolean {
  if (model?.extra['quantization_config']) return true;
  return /bnb|4-?bit|gptq|awq|int4|nf4/i.test(run.quantities.model.value ?? '');
}
