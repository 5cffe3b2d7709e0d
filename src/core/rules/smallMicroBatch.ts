import type { Change } from '../spec/change';
import type { RunSpec } from '../spec/runSpec';
import { formatShare } from '../units';
import { gainOf, lessTime, timedStep } from './gain';
import type { Gain } from './gain';
import type { Rule, RuleContext } from './rule';
import { change } from './when';
import type { Speed } from '../speed/speed';

/** Accumulation is there to save memory; a run that uses less than this share of it has none to save. */
const LITTLE = 0.25;

/** Each candidate is an estimate. */
const MOST_TRIED = 3;

export const smallMicroBatch: Rule = {
  id: 'small-micro-batch',
  severity: 'hint',
  summary: 'A small micro-batch is accumulated although most of the memory is free.',
  sources: [
    'the speed model: small matrix products and their kernels use a GPU less (docs/speed.md)',
    'utilisation guide, “Scale up model and batch size to better utilize GPU”',
  ],
  check(context) {
    const { run } = context;
    if ((run.quantities.gradAccum.value ?? 1) < 2 || !isOfIndependentRows(run)) return [];
    const step = timedStep(context);
    // Batch norms of image models see other statistics in another micro-batch.
    if (step?.speed.unit !== 'tokens' || !step.now.usableBytes) return [];
    if (step.now.device.expected > step.now.usableBytes * LITTLE) return [];
    const best = bestOf(context, step.speed);
    if (best === null) return [];
    const { micro, left, changes, gain } = best;
    const used = formatShare(step.now.device.expected / step.now.usableBytes);
    const message = context.say(
      'Micro-batch is small: {0} with {1} × {2}, as memory is {3} full. The effective batch size stays {4} per GPU, and the run then fills {5}.',
      lessTime(context.say, gain.share),
      micro,
      left,
      used,
      micro * left,
      formatShare(filled(gain)),
    );
    const fix = change(context.say('Raise the micro-batch to {0}, accumulate {1}', micro, left), ...changes);
    return [{ at: ['quantity:microBatchSize', 'quantity:gradAccum'], message, remedies: [fix] }];
  },
};

const filled = ({ after }: Gain): number => after.device.expected / (after.usableBytes ?? Infinity);

/** Contrastive training compares the rows of a micro-batch: another size is another task. */
const isOfIndependentRows = ({ details, quantities }: RunSpec): boolean =>
  details.contrastive === undefined && (quantities.microBatchSize.unit ?? 'samples') === 'samples';

interface Choice {
  readonly micro: number;
  readonly left: number;
  readonly changes: readonly Change[];
  readonly gain: Gain;
}

/** The largest micro-batch with the same product that fits with a margin. */
function bestOf(context: RuleContext, speed: Speed): Choice | null {
  const { microBatchSize, gradAccum, globalBatchSize } = context.run.quantities;
  const [micro, steps] = [microBatchSize.value, gradAccum.value];
  if (micro === null || steps === null || !Number.isInteger(micro) || !Number.isInteger(steps)) return null;
  const follows = gradAccum.origin.kind === 'derived' && globalBatchSize.value !== null;
  for (const factor of factorsOf(steps)) {
    const [to, left] = [micro * factor, steps / factor];
    const changes: readonly Change[] = [
      { quantity: 'microBatchSize', to },
      ...(follows ? [] : [{ quantity: 'gradAccum', to: left } as const]),
    ];
    const gain = gainOf(context, speed, changes);
    if (gain) return { micro: to, left, changes, gain };
  }
  return null;
}

/** Largest first; only as far as a run of at most a quarter of the memory can grow. */
function factorsOf(steps: number): readonly number[] {
  const all = [16, 8, 4, 2].filter(factor => steps % factor === 0);
  return all.slice(0, MOST_TRIED);
}
