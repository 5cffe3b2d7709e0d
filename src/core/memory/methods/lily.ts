import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, relu, scale } from '../ops/pointwise';

/** LilyConfig.num_B: matrices for all layers of a kind, which a router mixes. */
const EXPERTS = 2;

/** LoRA whose second matrix is mixed from a few shared ones, with a router's weights for the batch. */
export const lily: AdapterMethod = {
  names: ['lily'],
  title: 'Lily',
  source: 'peft 0.21.2, tuners/lily/layer.py, Linear.forward',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const { inputs, outputs, name } = shape;
    const { r, dtype } = plan;
    const a = builder.adapter([r, inputs], dtype);
    const b = builder.extras.common(`lily B ${name}`, [EXPERTS * r, outputs], dtype);
    const router = builder.adapter([EXPERTS, r], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const x = tape.name(to(tape, input, dtype));
        const hidden = tape.name(matmul(tape, x, a, null, [r, inputs]));
        const logits = tape.name(matmul(tape, hidden, router, null, [EXPERTS, r]));
        // softmax keeps its result, like max(x, 0).
        const chosen = tape.name(relu(tape, logits));
        const mixed = tape.name(matmul(tape, b, chosen, null, [1, EXPERTS]));
        const update = tape.name(matmul(tape, hidden, mixed, null, [outputs, r]));
        return add(tape, result, to(tape, scale(tape, update), result.dtype));
      });
  },
};
