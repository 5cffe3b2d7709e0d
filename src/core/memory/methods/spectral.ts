import { withDelta, withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { scale } from '../ops/pointwise';

/** FourierFTConfig.n_frequency. */
const FREQUENCIES = 1000;

/** An update of few frequencies: a dense spectrum, its inverse transform, and the real part. */
export const fourierft: AdapterMethod = {
  names: ['fourierft'],
  title: 'FourierFT',
  source: 'peft 0.21.2, tuners/fourierft/layer.py',
  ranked: false,
  linear(site) {
    const { builder, shape } = site;
    const spectrum = builder.adapter([FREQUENCIES], 'fp32');
    const elements = shape.outputs * shape.inputs;
    return withDelta(site, tape => {
      const node = tape.record(spectrum);
      const complex = 2 * elements;
      if (node) node.backward = () => [tape.done(tape.like(spectrum), tape.empty(complex, 'fp32'))];
      const dense = tape.empty(elements, 'fp32');
      const widened = tape.done(tape.empty(complex, 'fp32'), dense);
      const transformed = tape.done(tape.empty(complex, 'fp32'), widened);
      const real = tape.done(tape.view(transformed, elements, node), transformed);
      return scale(tape, real);
    });
  },
};

/** WaveFTConfig.n_frequency. */
const WAVE_FREQUENCIES = 2592;

/** An update of few wavelets: a dense spectrum, and the inverse transform of its four parts. */
export const waveft: AdapterMethod = {
  names: ['waveft'],
  title: 'WaveFT',
  source: 'peft 0.21.2, tuners/waveft/layer.py, get_delta_weight; waverec2d.py',
  ranked: false,
  linear(site) {
    const { builder, plan, shape } = site;
    const spectrum = builder.adapter([WAVE_FREQUENCIES], plan.dtype);
    builder.extras.held([2 * WAVE_FREQUENCIES], 'int64');
    const elements = shape.outputs * shape.inputs;
    return withDelta(site, tape => {
      const node = tape.record(spectrum);
      if (node) {
        node.backward = () => {
          const parts = tape.empty(elements, plan.dtype);
          const dense = tape.done(tape.empty(elements, plan.dtype), parts);
          return [tape.done(tape.like(spectrum), dense)];
        };
      }
      const dense = tape.empty(elements, plan.dtype);
      const parts = tape.done(tape.empty(elements, plan.dtype), dense);
      // Stacked for a convolution, which keeps its input.
      node?.save(parts);
      return scale(tape, tape.done(tape.empty(elements, plan.dtype, node), parts));
    });
  },
};

/** The block size in PEFT's comparison and documentation (the default of C3AConfig.block_size is 256). */
const BLOCK = 256;

/** Circular convolution per block in the frequency domain: an autograd function that keeps its input. */
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
