import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { scale } from '../ops/pointwise';

/** WaveFTConfig.n_frequency. */
const FREQUENCIES = 2592;

/** An update of few wavelets: a dense spectrum, and what the inverse transform makes of its four parts. */
export const waveft: AdapterMethod = {
  names: ['waveft'],
  title: 'WaveFT',
  source: 'peft 0.21.2, tuners/waveft/layer.py, get_delta_weight; waverec2d.py',
  ranked: false,
  linear(site) {
    const { builder, plan, shape } = site;
    const spectrum = builder.adapter([FREQUENCIES], plan.dtype);
    builder.extras.held([2 * FREQUENCIES], 'int64');
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
