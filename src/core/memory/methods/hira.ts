import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { mul } from '../ops/pointwise';

/** The weight times a low-rank product, element by element. A quantised weight is dequantised for it. */
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
