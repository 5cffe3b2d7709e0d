import { editsFor } from '../dialects/write';
import { formatShare } from '../units';
import { LEAST_SHARE, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

/**
 * Photos of ImageNet that the fastest Python decoder decodes in a second on one thread of the fastest of five CPUs (torchvision
 * on an EPYC 9B45: arXiv 2605.08731). Reading, resizing and augmenting come on top, so the wait is at least this.
 */
const DECODED_PER_SECOND = 864;

/** Small pictures (CIFAR, MNIST) come as arrays, which need no decoding. */
const LEAST_PIXELS = 128 * 128;

/** A starting value (PyTorch performance tuning guide, "Enable asynchronous data loading"). */
const FIRST_WORKERS = 4;

export const noWorkers: Rule = {
  id: 'no-workers',
  severity: 'hint',
  summary: 'No workers load the images: the GPU waits for each batch.',
  sources: [
    'PyTorch performance tuning guide, “Enable asynchronous data loading and augmentation”',
    'arXiv 2605.08731: images that one thread decodes in a second, by decoder and CPU',
  ],
  check(context) {
    const { numWorkers, imageSize, microBatchSize, gradAccum } = context.run.quantities;
    const [width, height] = imageSize.value ?? [0, 0];
    if (numWorkers.value !== 0 || width * height < LEAST_PIXELS) return [];
    if (context.run.details.precomputed?.value === true) return [];
    const images = (microBatchSize.value ?? 0) * (gradAccum.value ?? 1);
    const step = timedStep(context, 'same');
    if (step?.speed.unit !== 'samples' || images < 1) return [];
    const waiting = images / DECODED_PER_SECOND;
    const share = waiting / (waiting + step.speed.secondsPerStep.expected);
    const fix = change(context.say('Load with {0} workers', FIRST_WORKERS), {
      quantity: 'numWorkers',
      to: FIRST_WORKERS,
    });
    if (share < LEAST_SHARE || !isWritable(context.run, fix.changes)) return [];
    const message = context.say(
      'No workers load images: the GPU waits at least {0} of the time for {1} a step. Workers decode while the GPU computes, and take host RAM only.',
      formatShare(share),
      images,
    );
    return [{ at: ['quantity:numWorkers', 'quantity:microBatchSize'], message, remedies: [fix] }];
  },
};

function isWritable(...given: Parameters<typeof editsFor>): boolean {
  const written = editsFor(...given);
  return written.ok && written.edits.length > 0;
}
