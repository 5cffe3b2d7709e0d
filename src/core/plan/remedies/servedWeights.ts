import { isServed } from '../serving';
import type { Quantization } from '../../spec/values';
import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

const QUANTIZED = { doubleQuant: null, computeDtype: null, storageDtype: null } as const;
const FP8: Quantization = { ...QUANTIZED, bits: 8, method: 'other', type: 'fp8' };
const NF4: Quantization = { ...QUANTIZED, bits: 4, method: 'bnb', type: 'nf4' };

/** Weights that a serving engine quantizes while it loads a 16-bit checkpoint. */
export const servedWeights: Remedy = {
  id: 'served-weights',
  label: template('quantized weights for serving'),
  sources: [
    'vLLM docs, "FP8 W8A8": up to 1.6 × the throughput with minimal impact on accuracy; compute capability 8.9',
    'vLLM docs, "BitsAndBytes": in-flight quantization to 4 bits',
  ],
  less: ({ run, target, say }) => {
    // A quantized checkpoint (8 or 4 bits) cannot change.
    if (!isServed(run) || run.quantities.quantization.value !== null) return [];
    const options: RemedyOption[] = [];
    if (target?.gpu?.supports.fp8 === true) {
      options.push({
        changes: [{ quantity: 'quantization', to: FP8 }],
        price: { time: 0.8, speed: null, quality: say('8-bit weights: answers differ slightly'), trade: 2 },
      });
    }
    options.push({
      changes: [{ quantity: 'quantization', to: NF4 }],
      price: {
        time: 1.5,
        speed: say('slower: dequantizes weights for every product'),
        quality: say('4-bit weights: answers are somewhat worse'),
        trade: 3,
      },
    });
    return options;
  },
};
