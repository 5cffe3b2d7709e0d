import { perDevice } from '../price';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';

/** Micro batches per optimizer step beyond which launches and small kernels cost more than memory is worth. */
const MOST_ACCUMULATION = 4096;

/**
 * Trades the micro batch against accumulation so that their product, and with it the effective batch, stays.
 * Each halving costs some 5 % of the step's time in launches and smaller matrix products; an order of magnitude,
 * it depends on how full the GPU was.
 */
export const microBatch: Remedy = {
  id: 'micro-batch',
  label: 'the micro batch',
  sources: [
    'Hugging Face transformers docs, "GPU": gradient accumulation',
    'training-memory guide: "Reduce batch size by 25-50%", accumulation to keep the effective batch',
  ],
  less: context =>
    options(
      context,
      micro => micro < (context.run.quantities.microBatchSize.value ?? 0),
      'slower by the extra launches',
    ),
  more: context =>
    options(
      context,
      micro => micro > (context.run.quantities.microBatchSize.value ?? Infinity),
      'faster by fewer launches',
    ),
};

function options(context: RemedyContext, wanted: (micro: number) => boolean, speed: string): RemedyOption[] {
  const now = context.run.quantities.microBatchSize.value;
  const product = context.samplesPerGpu ?? perDevice(context.run);
  if (now === null || product === null) return [];
  return divisors(product)
    .filter(micro => wanted(micro) && product / micro <= MOST_ACCUMULATION)
    .sort((a, b) => Math.abs(Math.log(a / now)) - Math.abs(Math.log(b / now)))
    .map(micro => ({
      changes: [
        { quantity: 'microBatchSize', to: micro },
        { quantity: 'gradAccum', to: product / micro },
      ],
      price: { time: 1 + 0.05 * Math.log2(now / micro), speed, quality: null },
    }));
}

function divisors(of: number): number[] {
  if (!Number.isInteger(of) || of < 1 || of > 1_000_000) return [];
  const small: number[] = [];
  for (let d = 1; d * d <= of; d++) if (of % d === 0) small.push(d);
  return [...new Set([...small, ...small.map(d => of / d)])];
}
