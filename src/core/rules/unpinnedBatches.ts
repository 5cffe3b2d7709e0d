import { PCIE_BYTES } from '../speed/roofline';
import { scalarsOf } from '../spec/scalarKeys';
import { lessTime, timedStep } from './gain';
import { isOn } from './raw';
import type { Rule } from './rule';
import { setKey } from './when';

/** Copies of texts take no time. */
const LEAST_SHARE = 0.01;

const FLOATS_PER_PIXEL = 3 * 4;
/** timm's prefetcher sends bytes, and copies in the loop without it. */
const BYTES_PER_PIXEL = 3;

export const unpinnedBatches: Rule = {
  id: 'unpinned-batches',
  severity: 'hint',
  summary: 'Batches of images are not pinned: the GPU waits for their copies.',
  sources: [
    'torch docs, “CUDA semantics”, Use pinned memory buffers: only pinned memory is copied asynchronously',
    'the speed model: bytes a second over PCIe (docs/speed.md)',
  ],
  check(context) {
    const { imageSize, microBatchSize } = context.run.quantities;
    const [width, height] = imageSize.value ?? [0, 0];
    const key = scalarsOf(context.run).find(({ name, value }) => PINNED.test(name) && value === false);
    if (!key || width * height === 0 || context.run.details.precomputed?.value === true) return [];
    const prefetches = context.run.dialect === 'timm';
    const step = prefetches && isOn(context, 'no_prefetcher') ? null : timedStep(context, 'same');
    if (step?.speed.unit !== 'samples') return [];
    const bytes = width * height * (prefetches ? BYTES_PER_PIXEL : FLOATS_PER_PIXEL);
    const copying = (bytes * step.speed.perSecondPerGpu.expected) / PCIE_BYTES;
    const share = copying / (1 + copying);
    if (share < LEAST_SHARE || microBatchSize.value === null) return [];
    const message = context.say(
      "Batches aren't pinned: {0} if they are, as copies then run during computing. Pinned host RAM is not swapped.",
      lessTime(context.say, share),
    );
    return [{ at: [key.path], message, remedies: [setKey(key.path, true)] }];
  },
};

const PINNED = /^(?:dataloader_)?pin_mem(?:ory)?$/i;
