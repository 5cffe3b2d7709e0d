import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, mul } from '../ops/pointwise';
import { cat } from '../ops/shape';

/** Trains the smaller singular values of the weight with their vectors, and keeps copies of the originals. */
export const osf: AdapterMethod = {
  names: ['osf'],
  title: 'OSF',
  source: 'peft 0.21.2, tuners/osf/layer.py, update_layer, Linear.forward',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const { inputs, outputs } = shape;
    const { dtype } = plan;
    const all = Math.min(inputs, outputs);
    // Without a rank, half of them (OSFModel._create_and_replace, effective_rank).
    const r = plan.r > 0 ? plan.r : all - Math.floor(all / 2);
    const u = builder.adapter([outputs, r], dtype);
    const s = builder.adapter([r], dtype);
    const v = builder.adapter([r, inputs], dtype);
    const before = { u: builder.extras.held([outputs, r], dtype), s: builder.extras.held([r], dtype) };
    const beforeV = builder.extras.held([r, inputs], dtype);
    if (inputs !== outputs) builder.extras.held([Math.max(inputs, outputs), all - r], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const was = mul(tape, before.u, before.s);
        const a = tape.name(cat(tape, mul(tape, u, s), tape.done(tape.like(was), was)));
        const b = tape.name(cat(tape, v, beforeV));
        const x = tape.name(to(tape, input, dtype));
        const narrow = tape.name(matmul(tape, x, b, null, [2 * r, inputs]));
        const update = tape.name(matmul(tape, narrow, a, null, [outputs, 2 * r]));
        return add(tape, result, to(tape, update, input.dtype));
      });
  },
};
