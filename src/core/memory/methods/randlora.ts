import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** A full-rank update from random matrices, with the smaller ones scaled by trained numbers. */
export const randlora: AdapterMethod = {
  names: ['randlora'],
  title: 'RandLoRA',
  source: 'peft 0.21.2, tuners/randlora/layer.py, UniqueBaseGrad, Linear.get_scaled_bases',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const [least, most] = [Math.min(shape.inputs, shape.outputs), Math.max(shape.inputs, shape.outputs)];
    const bases = Math.ceil(least / r);
    const lambda = builder.adapter([r, bases], dtype);
    const gamma = builder.adapter([bases, least], dtype);
    const inner = r * bases;
    const small = builder.extras.shared('randlora A', [bases, least], dtype);
    const large = builder.extras.shared('randlora B', [most, bases, r], dtype);
    return withUpdate(site, (tape, x) => {
      const scaled = tape.name(scaledBases(tape, small, [lambda, gamma], inner * least));
      const [first, second] = least === shape.inputs ? [scaled, large] : [large, scaled];
      const narrow = matmul(tape, x, first, null, [inner, shape.inputs]);
      return scale(tape, matmul(tape, narrow, second, null, [shape.outputs, inner]));
    });
  },
};

/** λ ∘ A ∘ γ, an autograd function that keeps the three. */
function scaledBases(
  tape: Tape,
  base: Tensor,
  trained: readonly [Parameter, Parameter],
  elements: number,
): Tensor {
  const node = tape.record(...trained);
  if (node) {
    for (const kept of [base, ...trained]) node.save(kept);
    node.backward = grad => {
      const gradients = trained.map(one => tape.like(one));
      tape.spend(tape.like(grad));
      return gradients;
    };
  }
  const half = tape.empty(elements, base.dtype);
  return tape.done(tape.empty(elements, base.dtype, node), half);
}
