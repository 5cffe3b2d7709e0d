import type { Builder, Step } from '../../../modules';
import { activation } from '../../../ops/pointwise';
import { plainLayerNorm } from '../../../ops/norm';
import { split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { modulate } from '../timeEmbedding';
import { wideLayerNorm } from '../layers';

interface AdaNormShape {
  readonly width: number;
  /** Number of vectors from the time step. */
  readonly count: number;
  readonly bias: boolean;
  /** The norm is computed in fp32 for any input (FP32LayerNorm). */
  readonly wide?: boolean;
  /** The vectors are computed once for all blocks: `time` has those of this block. */
  readonly given?: boolean;
}

/** The normalized and modulated states (two of them with nine vectors), then the remaining vectors. */
export type AdaNorm = (tape: Tape, x: Tensor, time: Tensor) => readonly Tensor[];

/** A norm without weights. */
export const plainNorm = (builder: Builder, width: number, wide = false): Step =>
  wide ? wideLayerNorm(builder, width) : (tape, x) => plainLayerNorm(tape, x, width);

/** AdaLayerNormZero, its single form, and SD35AdaLayerNormZeroX (diffusers, models/normalization.py). */
export function buildAdaNorm(builder: Builder, name: string, shape: AdaNormShape): AdaNorm {
  const { width, count, bias, wide, given = false } = shape;
  const linear = given ? null : builder.linear({ name, inputs: width, outputs: count * width, bias });
  const norm = plainNorm(builder, width, wide);
  return (tape, x, time) =>
    tape.call([x, time], () => {
      const all = linear
        ? linear(tape, activation(tape, time))
        : tape.view(time, time.elements, time.node, time.slot);
      const sizes = Array.from({ length: count }, () => all.elements / count);
      const [offset = x, factor = x, ...rest] = split(tape, all, sizes).map(one => tape.name(one));
      const normed = tape.name(norm(tape, x));
      const [gate = x, mlpOffset = x, mlpFactor = x, mlpGate = x, second = x, secondFactor = x, last = x] =
        rest;
      const first = tape.name(modulate(tape, normed, factor, offset));
      if (count < 9) return [first, ...rest];
      const other = tape.name(modulate(tape, normed, secondFactor, second));
      return [first, gate, mlpOffset, mlpFactor, mlpGate, other, last];
    });
}
