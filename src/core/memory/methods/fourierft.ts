import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { scale } from '../ops/pointwise';

/** FourierFTConfig.n_frequency. */
const FREQUENCIES = 1000;

/** An update of few frequencies: a dense spectrum, its inverse transform, and of that the real part. */
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
