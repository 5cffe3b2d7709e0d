import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, mul, scale, sigmoid } from '../ops/pointwise';
import { reordered } from '../ops/shape';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** The name of the layer after attention in the families that PEFT supports. */
const OUTPUT = 'o_proj';

/** Trained prompts in each layer, to which its recomputed queries attend: PEFT's LLaMA-Adapter. */
export const adaptionPrompt: AdapterMethod = {
  names: ['adaption_prompt'],
  title: 'adaption prompt',
  source: 'peft 0.21.2, tuners/adaption_prompt/layer.py, AdaptedAttention.forward',
  ranked: true,
  targets: 'all',
  linear({ builder, plan, shape, base, heads, rows }) {
    if (!shape.name.endsWith(OUTPUT)) return base;
    const { inputs } = shape;
    const prompt = builder.adapter([plan.r, inputs], builder.dtypeOf(shape));
    const gate = builder.adapter([1], prompt.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const output = tape.name(base(tape, input));
        const keys = tape.name(projected(tape, prompt, rows));
        const values = tape.name(projected(tape, prompt, rows));
        const query = tape.name(queryOf(tape, input));
        const size = [plan.r * heads, inputs];
        const scores = tape.name(scale(tape, matmul(tape, query, keys, null, size)));
        // softmax keeps its result, like sigmoid.
        const weights = to(
          tape,
          sigmoid(tape, to(tape, tape.view(scores, scores.elements, scores.node), 'fp32')),
          input.dtype,
        );
        const gated = tape.rename(scores, mul(tape, gate, weights));
        const mixed = reordered(tape, matmul(tape, gated, values, null, [inputs, plan.r * heads]));
        return add(tape, output, base(tape, mixed));
      });
  },
};

/** Keys or values of the prompt, repeated for each row. */
function projected(tape: Tape, prompt: Tensor, rows: number): Tensor {
  const node = tape.record(prompt);
  if (node) node.backward = () => [tape.like(prompt)];
  return tape.empty(prompt.elements * rows, prompt.dtype, node);
}

/** Queries, projected and rotated again; the result has as many elements as the attention's input. */
function queryOf(tape: Tape, input: Tensor): Tensor {
  const node = tape.record(input);
  if (node) node.backward = () => [tape.like(input)];
  const turned = [tape.like(input), tape.like(input)];
  return tape.done(tape.like(input, node), ...turned);
}
