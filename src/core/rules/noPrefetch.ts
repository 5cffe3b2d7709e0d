import { scalarsOf } from '../spec/scalarKeys';
import { PCIE_BYTES } from '../speed/roofline';
import { lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { setKey } from './when';

const LEAST_SHARE = 0.01;

/** Without the prefetcher, images come as floats. */
const BYTES_PER_PIXEL = 3 * 4;

export const noPrefetch: Rule = {
  id: 'no-prefetch',
  severity: 'hint',
  summary: 'The prefetcher of timm is off: the GPU waits for each batch’s copy.',
  sources: [
    'timm data/loader.py PrefetchLoader: copies the next batch on a stream of its own, as bytes, and normalizes it on the GPU',
    'timm train.py: without args.prefetcher, `input.to(device)` runs in the loop',
    'the speed model: bytes a second over PCIe (docs/speed.md)',
  ],
  dialects: ['timm'],
  check(context) {
    const [width, height] = context.run.quantities.imageSize.value ?? [0, 0];
    const key = scalarsOf(context.run).find(({ name, value }) => name === 'no_prefetcher' && value === true);
    const step = key && width * height > 0 ? timedStep(context, 'same') : null;
    if (!key || step?.speed.unit !== 'samples') return [];
    const { perSecondPerGpu } = step.speed;
    const copying = (width * height * BYTES_PER_PIXEL * perSecondPerGpu.expected) / PCIE_BYTES;
    const share = copying / (1 + copying);
    if (share < LEAST_SHARE) return [];
    const message = context.say(
      'The prefetcher is off: {0} with it, as it copies during computing. It sends bytes instead of floats, too.',
      lessTime(context.say, share),
    );
    return [{ at: [key.path], message, remedies: [setKey(key.path, false)] }];
  },
};
