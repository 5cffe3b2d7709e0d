import { pluginNames } from './plugins';
import { isOff, isOn, isStated, textOf } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { anyOn, is, listed, off, quoted, setKey, when } from './when';

export const loraRankUnset: Rule = {
  id: 'lora-rank-unset',
  severity: 'error',
  summary: '`lora_r` or `lora_alpha` is not set: PEFT gets None and stops.',
  sources: [
    'axolotl 0.18 loaders/adapter.py L188: LoraConfig(r=cfg.lora_r, lora_alpha=cfg.lora_alpha), both None by default',
    'peft 0.21 tuners/lora/layer.py update_layer: r <= 0 and lora_alpha / r on None are TypeErrors',
  ],
  dialects: AXOLOTL,
  check(context) {
    const adapter = textOf(context, 'adapter');
    if (adapter !== 'lora' && adapter !== 'qlora') return [];
    // A loaded adapter has its own config.
    if (!isOff(context, 'lora_model_dir')) return [];
    const unset = ['lora_r', 'lora_alpha'].filter(key => !isStated(context, key));
    if (unset.length === 0) return [];
    const message = context.say(
      'PEFT stops when it makes the adapter: Axolotl has no default for {0}. Set lora_r (16 is common) and lora_alpha (once or twice as much).',
      listed(context.say, unset),
    );
    return [{ at: ['lora_r', 'lora_alpha', 'adapter'], message }];
  },
};

export const loraTargetsUnset: Rule = {
  id: 'lora-targets-unset',
  severity: 'error',
  summary: 'No key says which modules get an adapter.',
  sources: [
    'axolotl 0.18 loaders/adapter.py L171: target_modules = cfg.lora_target_modules or []',
    'peft 0.21 tuners/tuners_utils.py: “No `target_modules` passed but also no `target_parameters` found.”',
  ],
  dialects: AXOLOTL,
  check: when(
    [
      is('adapter', 'lora', 'qlora'),
      off('lora_target_linear', 'lora_target_modules', 'lora_target_parameters'),
      off('lora_model_dir', 'peft_trainable_token_indices'),
      context => pluginNames(context) !== null,
    ],
    (quote, { say }) => ({
      at: ['lora_target_linear', 'lora_target_modules', 'adapter'],
      message: say(
        '{0} has no modules to adapt: Axolotl passes PEFT an empty list, and PEFT stops. Set lora_target_linear to true, or list lora_target_modules.',
        quote('adapter'),
      ),
      remedies: [setKey('lora_target_linear', true)],
    }),
  ),
};

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
    const message = context.say(
      'Axolotl rejects {0} with {1}. Set the kernels to false.',
      listed(context.say, set),
      quoted(context, obstacle),
    );
    return {
      at: set,
      message,
      remedies: [
        {
          title: context.say('Set {0} to false', listed(context.say, set)),
          changes: set.map(key => ({ key, to: false })),
        },
      ],
    };
  }),
};

function inTheWay(context: RuleContext): boolean {
  if (isOn(context, 'trust_remote_code')) return true;
  return isOn(context, 'load_in_8bit') && textOf(context, 'adapter') === 'lora';
}
