import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, relu, scale } from '../ops/pointwise';

/** The update is what a small network makes of the weight, which is widened for it (PeanutConfig.depth: 0). */
export const peanut: AdapterMethod = {
  names: ['peanut'],
  title: 'PEANuT',
  source: 'peft 0.21.2, tuners/peanut/layer.py, Linear._compute_delta_weight',
  ranked: true,
  linear({ builder, plan, shape, base, weight }) {
    const { inputs, outputs } = shape;
    const a = builder.adapter([plan.r, outputs], plan.dtype);
    const b = builder.adapter([outputs, plan.r], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const turned = weight
          ? tape.view(weight, weight.elements)
          : tape.empty(inputs * outputs, input.dtype);
        const wide = to(tape, turned, plan.dtype);
        const narrow = relu(tape, matmul(tape, wide, a, null, [plan.r, outputs]));
        const delta = tape.name(scale(tape, matmul(tape, narrow, b, null, [outputs, plan.r])));
        const x = tape.name(to(tape, input, plan.dtype));
        const update = tape.name(matmul(tape, x, delta, null, [outputs, inputs]));
        return add(tape, result, to(tape, update, result.dtype));
      });
  },
};
