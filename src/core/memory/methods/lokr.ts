import { withDelta } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** LoKrConfig.decompose_factor: -1 splits a size into divisors as close to its square root as possible. */
function split(size: number): readonly [number, number] {
  let low = Math.floor(Math.sqrt(size));
  while (size % low !== 0) low -= 1;
  return [low, size / low];
}

/** A Kronecker product of a small matrix and a low-rank one, with the size of the weight. */
export const lokr: AdapterMethod = {
  names: ['lokr'],
  title: 'LoKr',
  source: 'peft 0.21.2, tuners/lokr/layer.py, make_kron',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const [outLow, outHigh] = split(shape.outputs);
    const [inLow, inHigh] = split(shape.inputs);
    const w1 = builder.adapter([outLow, inLow], plan.dtype);
    const a = builder.adapter([outHigh, plan.r], plan.dtype);
    const b = builder.adapter([plan.r, inHigh], plan.dtype);
    return withDelta(site, tape => {
      const w2 = matmul(tape, a, b, null, [inHigh, plan.r]);
      return scale(tape, kron(tape, w1, w2));
    });
  },
};

/** torch.kron keeps both factors; in backward a gradient of the product's size for each. */
function kron(tape: Tape, small: Tensor, large: Tensor): Tensor {
  const node = tape.record(small, large);
  const elements = small.elements * large.elements;
  if (node) {
    node.save(small);
    node.save(large);
    node.backward = () => {
      const full = tape.empty(elements, small.dtype);
      return [tape.done(tape.like(small), full), tape.like(large)];
    };
  }
  return tape.done(tape.empty(elements, small.dtype, node), small, large);
}
