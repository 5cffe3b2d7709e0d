import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';

/** TinyLoraConfig.u: numbers that are trained for a layer. */
const TRAINED = 64;

/** Singular vectors of the weight, and between them a square made of a few trained numbers and random squares. */
export const tinylora: AdapterMethod = {
  names: ['tinylora'],
  title: 'TinyLoRA',
  source: 'peft 0.21.2, tuners/tinylora/layer.py, Linear.forward',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const trained = builder.adapter([TRAINED], dtype);
    const a = builder.extras.held([r, shape.inputs], dtype);
    const b = builder.extras.held([shape.outputs, r], dtype);
    const squares = builder.extras.held([TRAINED, r, r], dtype);
    return withUpdate(site, (tape, x) => {
      const narrow = matmul(tape, x, a, null, [r, shape.inputs]);
      const square = matmul(tape, squares, trained, null, [1, TRAINED]);
      return matmul(tape, matmul(tape, narrow, square, null, [r, r]), b, null, [shape.outputs, r]);
    });
  },
};
