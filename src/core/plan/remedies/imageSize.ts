import type { Remedy, RemedyOption } from '../remedy';

/** Strides of detectors and patches of transformers divide it. */
const MULTIPLE = 32;
const SMALLEST = 224;

/** Smaller images: a change of the task, so it comes last. */
export const imageSize: Remedy = {
  id: 'image-size',
  label: 'the image size',
  changesTask: true,
  sources: ['memory formulas: activations of convolutions are linear in pixels'],
  less: ({ run }) => {
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
        // Work is linear in pixels, which is what is lost, too.
        price: {
          time: 1,
          speed: null,
          quality: `images of ${to} pixels: small objects may be lost`,
          trade: share === 0.5 ? 8 : 4,
        },
      });
    }
    return options;
  },
};
