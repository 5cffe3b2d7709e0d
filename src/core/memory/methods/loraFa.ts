import type { AdapterMethod } from '../adapterMethod';
import { linear, matmul } from '../ops/linear';
import { dropout } from '../ops/dropout';
import { to } from '../ops/cast';
import { add, scale } from '../ops/pointwise';

/** LoRA whose first matrix is frozen: its inputs are not kept (the optimizer's factory freezes it). */
export const loraFa: AdapterMethod = {
  names: ['lora-fa'],
  title: 'LoRA-FA',
  source: 'peft 0.21.2, optimizers/lorafa.py, create_lorafa_optimizer',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const { r, dtype } = plan;
    const a = builder.extras.held([r, shape.inputs], dtype);
    const b = builder.adapter([shape.outputs, r], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const x = tape.name(to(tape, input, dtype));
        const narrow = matmul(tape, dropout(tape, x, plan.dropout), a, null, [r, shape.inputs]);
        const update = scale(tape, linear(tape, narrow, b, null));
        const sum = tape.rename(result, add(tape, result, update));
        return to(tape, sum, input.dtype);
      });
  },
};
