import { scalarsOf } from '../spec/scalarKeys';
import type { ScalarKey } from '../spec/scalarKeys';
import { isOff, isOn } from './raw';
import { AXOLOTL, TRL } from './rule';
import type { Report, Rule, RuleContext } from './rule';
import { anyOn, is, not, off, on, setKey, when } from './when';
import type { Say } from '../text/say';

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
      message: context.say(
        "Axolotl rejects {0} without an adapter: quantized weights can't be trained. Set adapter to qlora (4 bits) or lora (8 bits), or load the model unquantized.",
        quote(key),
      ),
      remedies: [setKey('adapter', key === 'load_in_4bit' ? 'qlora' : 'lora')],
    };
  }),
};

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
      message: context.say(
        '{0} without use_peft leaves nothing that can be trained, and the trainer stops. Set use_peft to true.',
        quote(key),
      ),
      remedies: [setKey('use_peft', true)],
    };
  }),
};

export const qloraNot4bit: Rule = {
  id: 'qlora-not-4bit',
  severity: 'error',
  summary: '`adapter: qlora` needs `load_in_4bit` and neither `load_in_8bit` nor `gptq`.',
  sources: ['axolotl 0.18 utils/schemas/peft.py validate_qlora'],
  dialects: AXOLOTL,
  check: when([is('adapter', 'qlora'), off('merge_lora'), refused], (quote, { say }) => ({
    at: ['load_in_4bit', 'load_in_8bit', 'gptq', 'adapter'],
    message: say(
      'Axolotl rejects {0} unless load_in_4bit is true, without load_in_8bit and gptq. Set load_in_4bit to true, or adapter to lora.',
      quote('adapter'),
    ),
    remedies: [setKey('load_in_4bit', true), setKey('adapter', 'lora')],
  })),
};

function refused(context: RuleContext): boolean {
  return isOff(context, 'load_in_4bit') || isOn(context, 'load_in_8bit') || isOn(context, 'gptq');
}

const IN_EIGHT = /^bnb_8bit_(?:compute_dtype|use_double_quant|quant_type|quant_storage)$/;
const IN_FOUR = /^bnb_4bit_(?:compute_dtype|use_double_quant|quant_type|quant_storage)$/;

export const eightBitOptions: Rule = {
  id: 'eight-bit-options',
  severity: 'warning',
  summary: 'Options for 4-bit weights are set for 8-bit weights.',
  sources: [
    'transformers utils/quantization_config.py BitsAndBytesConfig: bnb_4bit_* and llm_int8_*; other names are “Unused kwargs”',
    'device-map guide: load_in_8bit with bnb_8bit_compute_dtype, bnb_8bit_use_double_quant, bnb_8bit_quant_type',
  ],
  check({ run, say }) {
    const keys = scalarsOf(run);
    const eight = keys.find(({ name, value }) => name === 'load_in_8bit' && value === true);
    const four = keys.find(({ name }) => name === 'load_in_4bit');
    const unknown = keys.filter(({ name }) => IN_EIGHT.test(name)).map(option => nobodys(say, option));
    if (!eight || four?.value === true) return unknown;
    const [first] = keys.filter(({ name }) => IN_FOUR.test(name));
    return first ? [...unknown, unused(say, first, eight, four)] : unknown;
  },
};

const nobodys = (say: Say, { path, name }: ScalarKey): Report => ({
  at: [path],
  message: say(
    '`{0}` is ignored: bitsandbytes has no such option for 8-bit weights. Double quantization, NF4 and a compute dtype belong to 4 bits. Remove it, or use load_in_4bit with {1}.',
    name,
    name.replace('8bit', '4bit'),
  ),
});

function unused(say: Say, option: ScalarKey, eight: ScalarKey, four: ScalarKey | undefined): Report {
  const added = eight.path.replace(/load_in_8bit$/, 'load_in_4bit');
  return {
    at: [option.path],
    message: say(
      '`{0}` counts for 4-bit weights; with `load_in_8bit: true` it is ignored. Use load_in_4bit instead, or remove it.',
      option.name,
    ),
    remedies: [
      {
        title: say('Load in 4 bits instead of 8'),
        changes: [
          { key: eight.path, to: false },
          { key: four?.path ?? added, to: true },
        ],
      },
    ],
  };
}

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
      not(comesQuantized),
    ],
    (quote, { say }) => ({
      at: ['load_in_4bit'],
      message: say(
        '{0} does nothing with {1}: the base model is held in 16 bits. Axolotl quantizes to 4 bits for qlora only. Set adapter to qlora.',
        quote('load_in_4bit'),
        quote('adapter'),
      ),
      remedies: [setKey('adapter', 'qlora'), setKey('load_in_4bit', false)],
    }),
  ),
};

/** A quantized checkpoint is loaded according to its own config, whatever the keys say. */
function comesQuantized({ run, model }: RuleContext): boolean {
  if (model?.extra['quantization_config']) return true;
  return /bnb|4-?bit|gptq|awq|int4|nf4/i.test(run.quantities.model.value ?? '');
}
