import type { Quantization } from '../../spec/values';
import type { Price } from '../../rules/remedy';
import type { Remedy } from '../remedy';
import { template } from '../../text/say';
import type { Say } from '../../text/say';

const NF4: Quantization = {
  bits: 4,
  method: 'bnb',
  type: 'nf4',
  doubleQuant: null,
  computeDtype: null,
  storageDtype: null,
};

/** Holds the frozen base of a LoRA run in 4 bits. */
export const qlora: Remedy = {
  id: 'qlora',
  label: template('4-bit base weights'),
  sources: [
    'Dettmers et al., arXiv 2305.14314',
    'memory formulas §1: nf4 linears take 0.52 to 0.56 bytes a parameter',
  ],
  less: ({ run, say }) => {
    const { method, quantization } = run.quantities;
    const now = quantization.value;
    const isInEight = now?.method === 'bnb' && now.bits === 8;
    if (method.value !== 'lora' || (now !== null && !isInEight)) return [];
    return [
      {
        changes: [
          { quantity: 'method', to: 'qlora' },
          { quantity: 'quantization', to: NF4 },
        ],
        price: isInEight ? fromEight(say) : fromSixteen(say),
      },
    ];
  },
};

const fromSixteen = (say: Say): Price => ({
  time: 1.35,
  speed: say('about a third slower: dequantizes weights for every product'),
  quality: say('4-bit base weights: results close to LoRA on a 16-bit base'),
  trade: 2,
});

/** LLM.int8 separates outliers in every product, and is no faster. */
const fromEight = (say: Say): Price => ({
  time: 1,
  speed: null,
  quality: say('4-bit base weights instead of 8-bit: results close to LoRA on a 16-bit base'),
  trade: 2,
});
