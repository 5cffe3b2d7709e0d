import { isServed } from '../serving';
import type { Remedy } from '../remedy';
import { template } from '../../text/say';

/** An 8-bit KV cache in a serving engine: twice the tokens in the same memory. */
export const cacheDtype: Remedy = {
  id: 'cache-dtype',
  label: template('the dtype of the KV cache'),
  sources: [
    'vLLM docs, "FP8 E4M3 KV Cache": "typically only minimally degrades inference accuracy"',
    'vLLM docs, "Quantized KV Cache"; FP8 needs compute capability 8.9',
  ],
  less: ({ run, target, say }) => {
    if (!isServed(run) || run.details.kvCacheDtype?.value === 'fp8') return [];
    if (target?.gpu?.supports.fp8 !== true) return [];
    return [
      {
        changes: [{ detail: 'kvCacheDtype', to: 'fp8' }],
        price: {
          time: 1,
          speed: null,
          quality: say('8-bit keys and values: answers differ slightly'),
          trade: 2,
        },
      },
    ];
  },
};
