import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOff, isStated, textOf } from './raw';
import { listed } from './when';

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
    // An adapter that is loaded brings its own config.
    if (!isOff(context, 'lora_model_dir')) return [];
    const unset = ['lora_r', 'lora_alpha'].filter(key => !isStated(context, key));
    if (unset.length === 0) return [];
    const message =
      `Axolotl has no default for ${listed(unset)}: PEFT gets None and stops when the adapter is made. ` +
      'Set lora_r (16 is common) and lora_alpha (once or twice as much).';
    return [{ at: ['lora_r', 'lora_alpha', 'adapter'], message }];
  },
};
