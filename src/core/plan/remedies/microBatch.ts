import { followsRule, perDevice } from '../batch';
import type { RunSpec } from '../../spec/runSpec';
import type { Change } from '../../spec/change';
import type { Remedy, RemedyContext, RemedyOption, SampleRange } from '../remedy';
import { template } from '../../text/say';

/** With more micro batches per optimizer step, launches and small kernels cost more than the memory is worth. */
const MOST_ACCUMULATION = 4096;

/**
 * Trades the micro batch for accumulation so that their product, the effective batch size, stays. Each halving
 * costs about 5 % of the step's time in launches and smaller matrix products; an order of magnitude that depends on
 * how busy the GPU was.
 */
export const microBatch: Remedy = {
  id: 'micro-batch',
  label: template('the micro-batch size'),
  setsBatch: true,
  sources: [
    'Hugging Face transformers docs, "GPU": gradient accumulation',
    'training-memory guide: "Reduce batch size by 25-50%", accumulation to keep the effective batch',
  ],
  less: context => [
    ...options(context, (micro, now) => micro <= now),
    // Programs without accumulation can only change the effective batch size this way.
    ...options(
      context,
      (micro, now, steps) => micro > now && steps === context.run.quantities.gradAccum.value,
    ),
  ],
  more: context => options(context, (micro, now) => micro > now),
};

/** A step's samples grow at most by these factors without reviewing the training. */
const GROWTHS = [4, 2];

/**
 * Larger micro batches, largest first: reduces accumulation as far as possible, and only then increases the samples
 * per step. If a number of samples is requested, options that reach it.
 */
export function largerBatches(context: RemedyContext): readonly RemedyOption[] {
  const { run, samplesPerGpu, batchRule } = context;
  const { microBatchSize, gradAccum } = run.quantities;
  if (samplesPerGpu !== null) {
    return options(context, (micro, now) => micro >= now).toSorted(
      (a, b) => (b.sizes?.[0] ?? 1) - (a.sizes?.[0] ?? 1),
    );
  }
  const [now, steps] = [microBatchSize.value, gradAccum.value];
  if (now === null || steps === null) return [];
  return GROWTHS.map(factor => ({ factor, to: now * factor, left: Math.ceil(steps / factor) }))
    .filter(({ to }) => followsRule(to, batchRule))
    .map(({ factor, to, left }) => ({
      changes: [{ quantity: 'microBatchSize', to }, ...accumulating(run, to * left, to)],
      price: {
        time: 1 - 0.05 * Math.log2(factor),
        speed: faster(context),
        quality: to * left === now * steps ? null : context.say('may need another learning rate'),
      },
    }));
}

const faster = ({ say }: RemedyContext): string => say('slightly faster (fewer steps)');
const slower = ({ say }: RemedyContext): string => say('slightly slower (more steps)');

/** Ways to reach the requested product with a smaller or larger micro batch, nearest first. */
function options(
  context: RemedyContext,
  wanted: (micro: number, now: number, steps: number) => boolean,
): RemedyOption[] {
  const now = context.run.quantities.microBatchSize.value;
  const today = perDevice(context.run);
  if (now === null || today === null) return [];
  const range = context.samplesPerGpu ?? { least: today, most: today };
  return (
    splits(range)
      .filter(({ micro, steps }) => wanted(micro, now, steps) && followsRule(micro, context.batchRule))
      // The same micro batch with other accumulation is only useful for another product.
      .filter(({ micro }) => micro !== now || today < range.least || today > range.most)
      .sort((a, b) => Math.abs(Math.log(a.micro / now)) - Math.abs(Math.log(b.micro / now)))
      .map(({ micro, steps }) => ({
        changes: [
          { quantity: 'microBatchSize', to: micro },
          ...accumulating(context.run, micro * steps, micro),
        ],
        sizes: [micro / now, accumulates(steps) / accumulates(today / now)],
        price: {
          // Per sample: a larger effective batch takes no longer for the same data.
          time: 1 + 0.05 * Math.log2(now / micro),
          speed: micro === now ? null : micro > now ? faster(context) : slower(context),
          quality: null,
        },
      }))
  );
}

/** A second micro batch runs with the gradients of the first; a third needs no more than the second. */
const accumulates = (steps: number): number => Math.min(steps, 2);

/** Within a range, up to this many micro batches are tried one by one; beyond, only the largest ones. */
const MOST_EACH = 512;

/**
 * For each micro batch in the range, the largest accumulation; the largest micro batch that fits may miss the
 * range's end slightly. For very large ranges, only the largest micro batch for each number of steps.
 */
function splits({ least, most }: SampleRange): readonly { micro: number; steps: number }[] {
  const whole = [least, most].every(product => Number.isInteger(product) && product >= 1);
  if (!whole || most > 1_000_000) return [];
  const within = ({ micro, steps }: { micro: number; steps: number }): boolean =>
    steps <= MOST_ACCUMULATION && micro * steps >= least;
  if (least === most) {
    return divisors(most)
      .map(steps => ({ micro: most / steps, steps }))
      .filter(within);
  }
  if (most <= MOST_EACH) {
    return upTo(most)
      .map(micro => ({ micro, steps: Math.floor(most / micro) }))
      .filter(within);
  }
  const all = upTo(Math.min(most, MOST_ACCUMULATION)).map(steps => ({
    micro: Math.floor(most / steps),
    steps,
  }));
  return all.filter((split, i) => within(split) && all[i + 1]?.micro !== split.micro);
}

const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1);

/** If accumulation follows from the batch over all GPUs, that batch stays, or grows with the product. */
function accumulating({ quantities }: RunSpec, product: number, micro: number): readonly Change[] {
  const { gradAccum, globalBatchSize, microBatchSize } = quantities;
  const { origin } = gradAccum;
  const follows = origin.kind === 'derived' && origin.from.includes('globalBatchSize');
  // An unchanged value needs no key: not every program can accumulate.
  if (!follows) {
    return product / micro === gradAccum.value ? [] : [{ quantity: 'gradAccum', to: product / micro }];
  }
  const today = (microBatchSize.value ?? 0) * (gradAccum.value ?? 0);
  if (product === today || globalBatchSize.value === null) return [];
  return [{ quantity: 'globalBatchSize', to: (globalBatchSize.value / today) * product }];
}

function divisors(of: number): number[] {
  if (!Number.isInteger(of) || of < 1 || of > 1_000_000) return [];
  const small: number[] = [];
  for (let d = 1; d * d <= of; d++) if (of % d === 0) small.push(d);
  return [...new Set([...small, ...small.map(d => of / d)])].sort((a, b) => a - b);
}
