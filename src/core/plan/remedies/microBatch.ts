import { perDevice } from '../batch';
import type { RunSpec } from '../../spec/runSpec';
import type { Change, Remedy, RemedyContext, RemedyOption } from '../remedy';

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
  less: context => options(context, (micro, now) => micro <= now, 'slower by the extra launches'),
  more: context => options(context, (micro, now) => micro >= now, 'faster by fewer launches'),
};

/** Ways to make the wanted product with a micro batch on one side of today's, nearest first. */
function options(
  context: RemedyContext,
  wanted: (micro: number, now: number) => boolean,
  speed: string,
): RemedyOption[] {
  const now = context.run.quantities.microBatchSize.value;
  const today = perDevice(context.run);
  const product = context.samplesPerGpu ?? today;
  if (now === null || product === null) return [];
  return divisors(product)
    .filter(micro => wanted(micro, now) && product / micro <= MOST_ACCUMULATION)
    .filter(micro => micro !== now || product !== today)
    .sort((a, b) => Math.abs(Math.log(a / now)) - Math.abs(Math.log(b / now)))
    .map(micro => ({
      changes: [{ quantity: 'microBatchSize', to: micro }, ...accumulating(context.run, product, micro)],
      price: { time: 1 + 0.05 * Math.log2(now / micro), speed: micro === now ? null : speed, quality: null },
    }));
}

/** Where accumulation follows from the batch over all GPUs, that stays, or grows with the product. */
function accumulating({ quantities }: RunSpec, product: number, micro: number): readonly Change[] {
  const { gradAccum, globalBatchSize, microBatchSize } = quantities;
  const { origin } = gradAccum;
  const follows = origin.kind === 'derived' && origin.from.includes('globalBatchSize');
  if (!follows) return [{ quantity: 'gradAccum', to: product / micro }];
  const today = (microBatchSize.value ?? 0) * (gradAccum.value ?? 0);
  if (product === today || globalBatchSize.value === null) return [];
  return [{ quantity: 'globalBatchSize', to: (globalBatchSize.value / today) * product }];
}

function divisors(of: number): number[] {
  if (!Number.isInteger(of) || of < 1 || of > 1_000_000) return [];
  const small: number[] = [];
  for (let d = 1; d * d <= of; d++) if (of % d === 0) small.push(d);
  return [...new Set([...small, ...small.map(d => of / d)])];
}
