import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn } from './raw';
import { anyOn, off, setKey, when } from './when';

export const quantisedWithoutAdapter: Rule = {
  id: 'quantised-without-adapter',
  severity: 'error',
  summary: 'Quantized weights cannot be trained without an adapter.',
  sources: [
    'axolotl 0.18 utils/schemas/peft.py validate_adapter: “not supported without setting an adapter”',
  ],
  dialects: AXOLOTL,
  check: when([anyOn('load_in_4bit', 'load_in_8bit'), off('adapter', 'inference')], (quote, context) => {
    const key = isOn(context, 'load_in_4bit') ? 'load_in_4bit' : 'load_in_8bit';
    return {
      at: [key],
      message:
        `Axolotl rejects ${quote(key)} without an adapter: quantized weights cannot be trained themselves. ` +
        'Set adapter to qlora (4 bits) or lora (8 bits), or load the model unquantized.',
      remedies: [setKey('adapter', key === 'load_in_4bit' ? 'qlora' : 'lora')],
    };
  }),
};
