import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { pluginNames } from './axolotlPlugins';
import { is, off, setKey, when } from './when';

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
    quote => ({
      at: ['lora_target_linear', 'lora_target_modules', 'adapter'],
      message:
        `${quote('adapter')} has no modules to adapt: Axolotl passes PEFT an empty list, and PEFT stops. ` +
        'Set lora_target_linear to true, or list lora_target_modules.',
      remedies: [setKey('lora_target_linear', true)],
    }),
  ),
};
