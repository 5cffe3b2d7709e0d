import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOff, isOn } from './raw';
import { quoted, setKey } from './when';

const KEYS = ['activation_offloading', 'selective_checkpointing'];

export const needsGradientCheckpointing: Rule = {
  id: 'needs-gradient-checkpointing',
  severity: 'error',
  summary: 'Activation offloading and selective checkpointing need `gradient_checkpointing`.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_activation_offloading_wo_gc, check_selective_checkpointing',
  ],
  dialects: AXOLOTL,
  check(context) {
    if (!isOff(context, 'gradient_checkpointing')) return [];
    return KEYS.filter(key => isOn(context, key)).map(key => ({
      at: [key],
      message: `Axolotl rejects ${quoted(context, key)} without gradient_checkpointing, which is off by default. Set gradient_checkpointing to true.`,
      remedies: [setKey('gradient_checkpointing', true)],
    }));
  },
};
