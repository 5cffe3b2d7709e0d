import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { scale } from '../ops/pointwise';

/** Sizes of a kernel that PEFT's comparison and documentation use (C3AConfig.block_size has 256). */
const BLOCK = 256;

/** Circular convolution block by block, in the frequency domain: a function of autograd that keeps its input. */
export const c3a: AdapterMethod = {
  names: ['c3a'],
  title: 'C³A',
  source: 'peft 0.21.2, tuners/c3a/utils.py, BlockCircularConvolution',
  ranked: false,
  linear(site) {
    const { builder, shape } = site;
    const kernel = builder.adapter([shape.outputs / BLOCK, shape.inputs / BLOCK, BLOCK], 'fp32');
    return withUpdate(site, (tape, x) => {
      const node = tape.record(x, kernel);
      const elements = (x.elements / shape.inputs) * shape.outputs;
      if (node) {
        node.save(x);
        node.save(kernel);
        node.backward = () => [x.node && tape.like(x), tape.like(kernel)];
      }
      const spectrum = tape.empty(2 * Math.max(x.elements, elements), 'fp32');
      return scale(tape, tape.done(tape.empty(elements, 'fp32', node), spectrum));
    });
  },
};
