import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, mul, relu, scale } from '../ops/pointwise';

/** The weight times a low-rank product, elementwise; dequantizes a quantized weight for it. */
export const hira: AdapterMethod = {
  names: ['hira'],
  title: 'HiRA',
  source: 'peft 0.21.2, tuners/hira/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape, weight } = site;
    const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
    const b = builder.adapter([shape.outputs, plan.r], plan.dtype);
    const elements = shape.inputs * shape.outputs;
    return withDelta(site, tape => {
      const product = matmul(tape, b, a, null, [shape.inputs, plan.r]);
      return mul(tape, weight ?? tape.empty(elements, 'bf16'), product);
    });
  },
};

/** The update is a small network's function of the weight, which is upcast for it (PeanutConfig.depth: 0). */
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

/** Trains a few entries of the weight: each use copies it and adds them to the copy. */
export const shira: AdapterMethod = {
  names: ['shira'],
  title: 'SHiRA',
  source: 'peft 0.21.2, tuners/shira/layer.py, Linear.forward',
  ranked: true,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const entries = plan.r * (inputs + outputs);
    const values = builder.adapter([entries], plan.dtype);
    const places = builder.extras.held([2 * entries], 'int32');
    return (tape, input) =>
      tape.call([input], () => {
        const node = tape.record(values);
        const scaled = tape.empty(entries, plan.dtype);
        const indices = tape.empty(places.elements, 'int64');
        const dtype = weight?.dtype ?? input.dtype;
        if (node) {
          node.save(indices);
          node.backward = grad => [tape.done(tape.like(values), tape.empty(entries, grad.dtype))];
        }
        const copied = tape.done(tape.empty(inputs * outputs, dtype, node), scaled, indices);
        return matmul(tape, input, copied, null, [outputs, inputs]);
      });
  },
};
