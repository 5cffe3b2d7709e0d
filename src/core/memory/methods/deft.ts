import type { AdapterMethod } from '../adapterMethod';
import { add, dropout, relu, scale } from '../ops/pointwise';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';

/** Replaces a subspace of the outputs with another one, all in fp32 (DeftConfig.decomposition_method: relu). */
export const deft: AdapterMethod = {
  names: ['deft'],
  title: 'DEFT',
  source: 'peft 0.21.2, tuners/deft/layer.py, DeftLinear.forward',
  ranked: true,
  linear({ builder, plan, shape: { inputs, outputs }, base }) {
    const p = builder.adapter([outputs, plan.r], plan.dtype);
    const r = builder.adapter([plan.r, inputs], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const out = tape.name(base(tape, input));
        const product = tape.name(to(tape, out, 'fp32'));
        const x = tape.name(to(tape, input, 'fp32'));
        const right = tape.name(relu(tape, p));
        const narrow = matmul(tape, product, right, null, [plan.r, outputs]);
        const correction = tape.name(matmul(tape, narrow, p, null, [outputs, plan.r]));
        const result = tape.name(add(tape, product, correction));
        const scaled = tape.name(scale(tape, r));
        const dropped = tape.name(dropout(tape, x, plan.dropout));
        const inner = matmul(tape, dropped, scaled, null, [plan.r, inputs]);
        const put = matmul(tape, inner, p, null, [outputs, plan.r]);
        const sum = tape.rename(result, add(tape, result, put));
        return to(tape, sum, input.dtype);
      });
  },
};
