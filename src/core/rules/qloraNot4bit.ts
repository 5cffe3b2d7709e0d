import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOff, isOn } from './raw';
import { is, off, setKey, when } from './when';

export const qloraNot4bit: Rule = {
  id: 'qlora-not-4bit',
  severity: 'error',
  summary: '`adapter: qlora` needs `load_in_4bit` and neither `load_in_8bit` nor `gptq`.',
  sources: ['axolotl 0.18 utils/schemas/peft.py validate_qlora'],
  dialects: AXOLOTL,
  check: when([is('adapter', 'qlora'), off('merge_lora'), refused], quote => ({
    at: ['load_in_4bit', 'load_in_8bit', 'gptq', 'adapter'],
    message:
      `Axolotl rejects ${quote('adapter')} unless the base model is loaded in 4 bits, without load_in_8bit and gptq. ` +
      'Set load_in_4bit to true, or adapter to lora.',
    remedies: [setKey('load_in_4bit', true), setKey('adapter', 'lora')],
  })),
};

function refused(context: RuleContext): boolean {
  return isOff(context, 'load_in_4bit') || isOn(context, 'load_in_8bit') || isOn(context, 'gptq');
}
