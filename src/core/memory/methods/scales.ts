import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { add, mul } from '../ops/pointwise';

/**
 * The second layer of an MLP, whose input is scaled instead of its output (PEFT's mapping of feedforward modules).
 */
const FEEDFORWARD = /(?:down_proj|fc2|fc_out|dense_4h_to_h|mlp\.c_proj|w2|wo|output\.dense)$/;

/** A trained factor per element of a layer's output, or of its input. */
export const ia3: AdapterMethod = {
  names: ['ia3'],
  title: 'IA³',
  source: 'peft 0.21.2, tuners/ia3/layer.py',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const before = FEEDFORWARD.test(shape.name);
    const factors = builder.adapter([before ? shape.inputs : shape.outputs], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        if (!before) {
          const result = tape.name(base(tape, input));
          return to(tape, mul(tape, result, factors), result.dtype);
        }
        const x = tape.name(to(tape, input, plan.dtype));
        return base(tape, to(tape, mul(tape, x, factors), input.dtype));
      });
  },
};

/** Trains copies of the norms in the model's dtype, and nothing else. */
export const lnTuning: AdapterMethod = {
  names: ['ln_tuning'],
  title: 'LayerNorm tuning',
  source: 'peft 0.21.2, tuners/ln_tuning/layer.py',
  ranked: false,
  targets: 'none',
  trainsNorms: true,
  linear: ({ base }) => base,
};

/** A trained bias for the outputs of a layer; PEFT's examples use it for values only. */
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
