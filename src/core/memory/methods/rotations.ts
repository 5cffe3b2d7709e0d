import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, mul, scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import { INPUTS } from '../terms';

/** Rotates the layer's output in pairs: result ∘ cos + turned(result) ∘ sin. */
export const road: AdapterMethod = {
  names: ['road'],
  title: 'RoAd',
  source: 'peft 0.21.2, tuners/road/layer.py, _apply_road',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const theta = builder.adapter([shape.outputs / 2], plan.dtype);
    const alpha = builder.adapter([shape.outputs / 2], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const plain = tape.name(base(tape, input));
        const result = tape.name(to(tape, plain, plan.dtype));
        const turned = tape.name(scale(tape, result));
        const direct = mul(tape, result, theta);
        return to(tape, add(tape, direct, mul(tape, turned, alpha)), plain.dtype);
      });
  },
};

/** BOFTConfig.boft_block_size, with one butterfly factor. */
const BUTTERFLY_BLOCK = 4;

/** Rotates the weight by a matrix of the input's width, composed of small blocks and permutations (buffers). */
export const boft: AdapterMethod = {
  names: ['boft'],
  title: 'BOFT',
  source: 'peft 0.21.2, tuners/boft/layer.py',
  ranked: false,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const blocks = builder.adapter([inputs / BUTTERFLY_BLOCK, BUTTERFLY_BLOCK, BUTTERFLY_BLOCK], plan.dtype);
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

/** OFTConfig.oft_block_size. */
const OFT_BLOCK = 32;

/** Terms of the Neumann series of a rotation (OFTConfig.num_cayley_neumann_terms): matrices that it keeps. */
const SERIES = 5;

/** Rotates the input block by block before the frozen layer. */
export const oft: AdapterMethod = {
  names: ['oft'],
  title: 'OFT',
  source: 'peft 0.21.2, tuners/oft/layer.py, OFTRotationModule',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const blocks = shape.inputs / OFT_BLOCK;
    const angles = builder.adapter([blocks, (OFT_BLOCK * (OFT_BLOCK - 1)) / 2], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const x = tape.name(to(tape, input, plan.dtype));
        const rotation = rotations(tape, angles, blocks);
        const rotated = matmul(tape, x, rotation, null, [shape.inputs, shape.inputs]);
        return base(tape, to(tape, rotated, input.dtype));
      });
  },
};

/** _cayley_batch: powers of the skew-symmetric matrices, each kept for the next one. */
function rotations(tape: Tape, angles: Parameter, blocks: number): Tensor {
  const elements = blocks * OFT_BLOCK * OFT_BLOCK;
  const node = tape.record(angles);
  const powers = Array.from({ length: SERIES }, () => tape.empty(elements, angles.dtype));
  if (node) {
    for (const power of powers) node.save(power);
    node.backward = () => [tape.done(tape.like(angles), tape.empty(elements, angles.dtype))];
  }
  const result = tape.empty(elements, angles.dtype, node);
  return tape.done(result, ...powers);
}

/** Applies r Householder reflections to the weight, multiplied one after another as full squares. */
export const hra: AdapterMethod = {
  names: ['hra'],
  title: 'HRA',
  source: 'peft 0.21.2, tuners/hra/layer.py, HRALinear.get_delta_weight',
  ranked: true,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const { r, dtype } = plan;
    const vectors = builder.adapter([inputs, r], dtype);
    const square = [inputs, inputs];
    return (tape, input) =>
      tape.call([input], () => {
        const identity = tape.name(tape.empty(inputs * inputs, 'fp32'));
        const units = tape.name(scale(tape, vectors));
        let turn = tape.name(tape.empty(inputs * inputs, dtype));
        for (let i = 0; i < r; i++) {
          const one = tape.name(tape.view(units, inputs, units.node));
          const column = matmul(tape, scale(tape, turn), one, null, [1, inputs]);
          turn = tape.rename(turn, add(tape, turn, matmul(tape, column, one, null, [inputs, 1])));
          tape.drop(one);
        }
        const whole = tape.name(matmul(tape, identity, turn, null, square));
        const frozen = tape.name(to(tape, weight ?? tape.empty(inputs * outputs, input.dtype), dtype));
        const made = tape.name(matmul(tape, frozen, whole, null, square));
        const x = tape.name(to(tape, input, dtype));
        return to(tape, matmul(tape, x, made, null, [outputs, inputs]), input.dtype);
      });
  },
};
