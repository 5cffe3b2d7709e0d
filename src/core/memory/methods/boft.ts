import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { bytesPer } from '../tensor';
import { INPUTS } from '../terms';

/** BOFTConfig.boft_block_size, with one butterfly factor. */
const BLOCK = 4;

/** The weight is rotated by a matrix as wide as the input, which is made of small blocks and permutations (buffers). */
export const boft: AdapterMethod = {
  names: ['boft'],
  title: 'BOFT',
  source: 'peft 0.21.2, tuners/boft/layer.py',
  ranked: false,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const blocks = builder.adapter([inputs / BLOCK, BLOCK, BLOCK], plan.dtype);
    const scales = builder.adapter([outputs, 1], plan.dtype);
    builder.reserve(inputs * inputs * bytesPer('fp32'), INPUTS);
    return (tape, input) =>
      tape.call([input], () => {
        const node = tape.record(blocks, scales);
        const diagonal = tape.empty(inputs * inputs, plan.dtype);
        const butterfly = tape.done(tape.empty(inputs * inputs, plan.dtype), diagonal);
        const base = to(tape, weight ?? tape.empty(inputs * outputs, input.dtype), plan.dtype);
        if (node) {
          node.save(base);
          node.backward = () => [tape.like(blocks), tape.like(scales)];
        }
        const rotated = tape.done(tape.empty(inputs * outputs, plan.dtype, node), butterfly, base);
        const x = tape.name(to(tape, input, plan.dtype));
        return to(tape, matmul(tape, x, rotated, null, [outputs, inputs]), input.dtype);
      });
  },
};
