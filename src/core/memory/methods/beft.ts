import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { add } from '../ops/pointwise';

/** A trained bias for the outputs of a layer, which PEFT's examples aim at values alone. */
export const beft: AdapterMethod = {
  names: ['beft'],
  title: 'BEFT',
  source: 'peft 0.21.2, tuners/beft/layer.py, Linear.forward',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const bias = builder.adapter([shape.outputs], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        return to(tape, add(tape, result, bias), input.dtype);
      });
  },
};
