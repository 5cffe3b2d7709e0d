import type { Quantization } from '../../spec/values';
import type { Remedy } from '../remedy';

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
  label: '4-bit base weights',
  sources: [
    'Dettmers et al., arXiv 2305.14314',
    'memory formulas §1: nf4 linears take 0.52 to 0.56 bytes a parameter',
  ],
  less: ({ run }) => {
    if (run.quantities.method.value !== 'lora' || run.quantities.quantization.value !== null) return [];
    return [
      {
        changes: [
          { quantity: 'method', to: 'qlora' },
          { quantity: 'quantization', to: NF4 },
        ],
        price: {
          time: 1.35,
          speed: 'slower by about a third: weights are unpacked for every product',
          quality: '4-bit base weights: close to LoRA on a 16-bit base',
        },
      },
    ];
  },
};
