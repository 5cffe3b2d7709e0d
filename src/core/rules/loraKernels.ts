import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn, textOf } from './raw';
import { anyOn, listed, quoted, when } from './when';

const KERNELS = ['lora_mlp_kernel', 'lora_qkv_kernel', 'lora_o_kernel'];

export const loraKernels: Rule = {
  id: 'lora-kernels',
  severity: 'error',
  summary: 'LoRA kernels do not work with 8-bit weights or remote code.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_lora_kernels_8bit, check_lora_kernels_trust_remote_code',
  ],
  dialects: AXOLOTL,
  check: when([anyOn(...KERNELS), inTheWay], (_, context) => {
    const set = KERNELS.filter(key => isOn(context, key));
    const obstacle = isOn(context, 'trust_remote_code') ? 'trust_remote_code' : 'load_in_8bit';
    const message = `Axolotl rejects ${listed(set)} with ${quoted(context, obstacle)}. Set the kernels to false.`;
    return {
      at: set,
      message,
      remedies: [{ title: `Set ${listed(set)} to false`, changes: set.map(key => ({ key, to: false })) }],
    };
  }),
};

function inTheWay(context: RuleContext): boolean {
  if (isOn(context, 'trust_remote_code')) return true;
  return isOn(context, 'load_in_8bit') && textOf(context, 'adapter') === 'lora';
}
