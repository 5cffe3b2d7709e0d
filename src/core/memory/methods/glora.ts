import type { AdapterMethod, AdapterSite } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, mul, scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Recomputes the weight for each use, W + W ∘ A + B, with two low-rank products; the layer itself also runs. */
export const glora: AdapterMethod = {
  names: ['glora'],
  title: 'GLoRA',
  source: 'peft 0.21.2, tuners/glora/layer.py, GloraLinear.forward',
  ranked: true,
  linear(site) {
    const { shape, base, weight } = site;
    const products = [lowRank(site), lowRank(site)];
    const size = [shape.outputs, shape.inputs];
    return (tape, input) =>
      tape.call([input], () => {
        const own = tape.name(base(tape, input));
        const [a, b] = products.map(product => tape.name(to(tape, product(tape), input.dtype)));
        if (!a || !b) return own;
        const frozen = weight ?? tape.empty(shape.outputs * shape.inputs, input.dtype);
        const made = tape.name(add(tape, add(tape, frozen, mul(tape, frozen, a)), b));
        const adapted = tape.name(matmul(tape, input, made, null, size));
        const both = tape.name(add(tape, own, adapted));
        return add(tape, both, scale(tape, own));
      });
  },
};

function lowRank({ builder, plan, shape }: AdapterSite): (tape: Tape) => Tensor {
  const down = builder.adapter([shape.outputs, plan.r], plan.dtype);
  const up = builder.adapter([plan.r, shape.inputs], plan.dtype);
  return tape => matmul(tape, down, up, null, [shape.inputs, plan.r]);
}
