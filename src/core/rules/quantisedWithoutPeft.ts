import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { isOn } from './raw';
import { anyOn, off, setKey, when } from './when';

export const quantisedWithoutPeft: Rule = {
  id: 'quantised-without-peft',
  severity: 'error',
  summary: 'A quantized model cannot be trained without an adapter.',
  sources: ['transformers 5.18 trainer.py: “You cannot perform fine-tuning on purely quantized models.”'],
  dialects: TRL,
  check: when([anyOn('load_in_4bit', 'load_in_8bit'), off('use_peft', 'peft_config')], (quote, context) => {
    const key = isOn(context, 'load_in_4bit') ? 'load_in_4bit' : 'load_in_8bit';
    return {
      at: [key],
      message: `${quote(key)} without use_peft leaves nothing that can be trained, and the trainer stops. Set use_peft to true.`,
      remedies: [setKey('use_peft', true)],
    };
  }),
};
