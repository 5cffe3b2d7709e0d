import type { AdapterMethod } from '../adapterMethod';
import { dropout } from '../ops/dropout';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { addInPlace, scale } from '../ops/pointwise';
import { reordered } from '../ops/shape';

/** GraloraConfig.gralora_k: blocks on each side. */
const BLOCKS = 2;

/** Low-rank pairs block by block, whose narrow sides are exchanged between the blocks. */
export const gralora: AdapterMethod = {
  names: ['gralora'],
  title: 'GraLoRA',
  source: 'peft 0.21.2, tuners/gralora/layer.py, Linear.forward',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const { r, dtype } = plan;
    const [inputs, outputs] = [shape.inputs / BLOCKS, shape.outputs / BLOCKS];
    const a = builder.adapter([BLOCKS, inputs, r], dtype);
    const b = builder.adapter([BLOCKS, r, outputs], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const x = dropout(tape, to(tape, input, dtype), plan.dropout);
        const narrow = reordered(tape, matmul(tape, x, a, null, [r, inputs]));
        const output = reordered(tape, matmul(tape, narrow, b, null, [outputs, r]));
        const update = scale(tape, to(tape, output, result.dtype));
        return addInPlace(tape, result, update);
      });
  },
};
