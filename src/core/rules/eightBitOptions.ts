import { scalarsOf } from '../spec/scalarKeys';
import type { ScalarKey } from '../spec/scalarKeys';
import type { Report, Rule } from './rule';

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
  check({ run }) {
    const keys = scalarsOf(run);
    const eight = keys.find(({ name, value }) => name === 'load_in_8bit' && value === true);
    const four = keys.find(({ name }) => name === 'load_in_4bit');
    const unknown = keys.filter(({ name }) => IN_EIGHT.test(name)).map(nobodys);
    if (!eight || four?.value === true) return unknown;
    const [first] = keys.filter(({ name }) => IN_FOUR.test(name));
    return first ? [...unknown, unused(first, eight, four)] : unknown;
  },
};

const nobodys = ({ path, name }: ScalarKey): Report => ({
  at: [path],
  message:
    `\`${name}\` isn't an option of bitsandbytes’ 8-bit weights, and ignored: double quantization, NF4 and a compute dtype belong to 4 bits. ` +
    `Remove it, or use load_in_4bit with ${name.replace('8bit', '4bit')}.`,
});

function unused(option: ScalarKey, eight: ScalarKey, four: ScalarKey | undefined): Report {
  const added = eight.path.replace(/load_in_8bit$/, 'load_in_4bit');
  return {
    at: [option.path],
    message: `\`${option.name}\` counts for 4-bit weights; with \`load_in_8bit: true\` it is ignored. Use load_in_4bit instead, or remove it.`,
    remedies: [
      {
        title: 'Load in 4 bits instead of 8',
        changes: [
          { key: eight.path, to: false },
          { key: four?.path ?? added, to: true },
        ],
      },
    ],
  };
}
