import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { add, mul, scale, sigmoid } from '../ops/pointwise';
import { split } from '../ops/shape';

/** VeRA whose narrow side is drawn at random: a mean and a variance are computed, and kept with the noise. */
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
      // exp keeps its result, as sigmoid does.
      const deviation = tape.name(sigmoid(tape, scale(tape, logarithm)));
      const noise = tape.name(tape.empty(half, dtype));
      const drawn = add(tape, mean, mul(tape, noise, deviation));
      return mul(tape, b, matmul(tape, drawn, frozen.b, null, sizes.b));
    });
  },
};
