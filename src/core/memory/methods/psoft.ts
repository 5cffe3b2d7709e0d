import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { add, scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** A rotation in r dimensions between the weight's largest singular vectors. */
export const psoft: AdapterMethod = {
  names: ['psoft'],
  title: 'PSOFT',
  source: 'peft 0.21.2, tuners/psoft/layer.py, OrthLayer, Linear.forward',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const pairs = (r * (r - 1)) / 2;
    const trained = [pairs, r, r].map(size => builder.adapter([size], dtype));
    builder.extras.held([2 * pairs], 'int64');
    // The first r rows of all singular vectors: a view, which keeps all of them (psoft_svd: full).
    const a = builder.extras.held([Math.min(shape.inputs, shape.outputs), shape.inputs], 'fp32');
    const b = builder.extras.held([shape.outputs, r], 'fp32');
    return withUpdate(site, (tape, x) => {
      const narrow = tape.name(matmul(tape, x, a, null, [r, shape.inputs]));
      const turned = matmul(tape, narrow, rotation(tape, trained, r * r), null, [r, r]);
      return scale(tape, matmul(tape, add(tape, turned, narrow), b, null, [shape.outputs, r]));
    });
  },
};

/** Cayley's transform of a skew matrix, solved; rows and columns scaled. Six squares are kept for backward. */
function rotation(tape: Tape, trained: readonly Parameter[], elements: number): Tensor {
  const node = tape.record(...trained);
  for (let i = 0; i < 6; i++) {
    const square = tape.empty(elements, 'fp32');
    node?.save(square);
    tape.spend(square);
  }
  if (node) node.backward = () => trained.map(one => tape.like(one));
  return tape.empty(elements, 'fp32', node);
}
