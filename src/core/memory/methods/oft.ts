import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** OFTConfig.oft_block_size. */
const BLOCK = 32;

/** Terms of the Neumann series of a rotation (OFTConfig.num_cayley_neumann_terms): matrices that the series keeps. */
const SERIES = 5;

/** The input is rotated block by block before the frozen layer sees it. */
export const oft: AdapterMethod = {
  names: ['oft'],
  title: 'OFT',
  source: 'peft 0.21.2, tuners/oft/layer.py, OFTRotationModule',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const blocks = shape.inputs / BLOCK;
    const angles = builder.adapter([blocks, (BLOCK * (BLOCK - 1)) / 2], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const x = tape.name(to(tape, input, plan.dtype));
        const rotation = rotations(tape, angles, blocks);
        const rotated = matmul(tape, x, rotation, null, [shape.inputs, shape.inputs]);
        return base(tape, to(tape, rotated, input.dtype));
      });
  },
};

/** _cayley_batch: powers of the skew-symmetric matrices, each kept for the next. */
function rotations(tape: Tape, angles: Parameter, blocks: number): Tensor {
  const elements = blocks * BLOCK * BLOCK;
  const node = tape.record(angles);
  const powers = Array.from({ length: SERIES }, () => tape.empty(elements, angles.dtype));
  if (node) {
    for (const power of powers) node.save(power);
    node.backward = () => [tape.done(tape.like(angles), tape.empty(elements, angles.dtype))];
  }
  const result = tape.empty(elements, angles.dtype, node);
  return tape.done(result, ...powers);
}
