import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { add, mul, scale, sigmoid } from '../ops/pointwise';
import { split } from '../ops/shape';

/** Two frozen random matrices for all layers, and trained vectors: λb ∘ (B · (λd ∘ (A · x))). */
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

/** VeRA with a randomly sampled narrow side: computes a mean and a variance, and keeps them with the noise. */
export const pvera: AdapterMethod = {
  names: ['pvera'],
  title: 'PVeRA',
  source: 'peft 0.21.2, tuners/pvera/layer.py, Linear.forward, _reparametrize',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const b = builder.adapter([shape.outputs], dtype);
    const d = builder.adapter([2 * r], dtype);
    const sizes = { a: [2 * r, shape.inputs], b: [shape.outputs, r] };
    const frozen = {
      a: builder.extras.shared('pvera A', sizes.a, dtype),
      b: builder.extras.shared('pvera B', sizes.b, dtype),
    };
    return withUpdate(site, (tape, x) => {
      const both = mul(tape, d, matmul(tape, x, frozen.a, null, sizes.a));
      const half = both.elements / 2;
      const [mean, logarithm] = split(tape, both, [half, half]);
      if (!mean || !logarithm) return both;
      tape.name(mean);
      tape.name(logarithm);
      // exp keeps its result, like sigmoid.
      const deviation = tape.name(sigmoid(tape, scale(tape, logarithm)));
      const noise = tape.name(tape.empty(half, dtype));
      const drawn = add(tape, mean, mul(tape, noise, deviation));
      return mul(tape, b, matmul(tape, drawn, frozen.b, null, sizes.b));
    });
  },
};

/** TinyLoraConfig.u: trained numbers per layer. */
const TRAINED = 64;

/** Singular vectors of the weight, and between them a square from a few trained numbers and random squares. */
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
