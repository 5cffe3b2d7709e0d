import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { addInPlace, dropout, rowSums, scale } from '../ops/pointwise';
import { matmul } from '../ops/linear';
import { reordered } from '../ops/shape';

/** Sums of the input's shards times a trained block (MiSS, formerly Bone). */
export const miss: AdapterMethod = {
  names: ['miss', 'bone'],
  title: 'MiSS',
  source: 'peft 0.21.2, tuners/miss/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const block = builder.adapter([plan.r, shape.outputs], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const shards = rowSums(tape, x, shape.inputs / plan.r);
      return matmul(tape, shards, block, null, [shape.outputs, plan.r]);
    });
  },
};

/** GraloraConfig.gralora_k: blocks on each side. */
const BLOCKS = 2;

/** Low-rank pairs per block, whose narrow sides are exchanged between the blocks. */
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
