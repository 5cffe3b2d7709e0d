import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { mul } from '../ops/pointwise';

/** Two frozen random matrices for all layers, and vectors that are trained: λb ∘ (B · (λd ∘ (A · x))). */
export const vera: AdapterMethod = {
  names: ['vera'],
  title: 'VeRA',
  source: 'peft 0.21.2, tuners/vera/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const b = builder.adapter([shape.outputs], plan.dtype);
    const d = builder.adapter([plan.r], plan.dtype);
    const sizes = { a: [plan.r, shape.inputs], b: [shape.outputs, plan.r] };
    const frozen = {
      a: builder.extras.shared('vera A', sizes.a, plan.dtype),
      b: builder.extras.shared('vera B', sizes.b, plan.dtype),
    };
    return withUpdate(site, (tape, x) => {
      const narrow = mul(tape, d, matmul(tape, x, frozen.a, null, sizes.a));
      return mul(tape, b, matmul(tape, narrow, frozen.b, null, sizes.b));
    });
  },
};
