import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Divisible by the strides of detectors and the patches of transformers. */
const MULTIPLE = 32;
const SMALLEST = 224;

/** Smaller images: changes the task, so it comes last. */
export const imageSize: Remedy = {
  id: 'image-size',
  label: template('the image size'),
  changesTask: true,
  sources: ['memory formulas: activations of convolutions are linear in pixels'],
  less: ({ run, say }) => {
    const size = run.quantities.imageSize.value;
    if (size === null || size[0] !== size[1]) return [];
    const [now] = size;
    const options: RemedyOption[] = [];
    for (const share of [0.75, 0.5]) {
      const to = Math.round((now * share) / MULTIPLE) * MULTIPLE;
      if (to < SMALLEST || to >= now) continue;
      options.push({
        changes: [{ quantity: 'imageSize', to: [to, to] }],
        sizes: [to / now],
        // Work is linear in the number of pixels; so is the loss of information.
        price: {
          time: 1,
          speed: null,
          quality: say('images of {0} pixels: small objects may be lost', to),
          trade: share === 0.5 ? 8 : 4,
        },
      });
    }
    return options;
  },
};
