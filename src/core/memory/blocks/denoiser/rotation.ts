import { to } from '../../ops/cast';
import { add, mul, scale } from '../../ops/pointwise';
import { cat, split } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';

/** Cosines and sines of positions, in fp32. */
export interface Angles {
  readonly cosines: Tensor;
  readonly sines: Tensor;
}

/** Cosines and sines for so many positions, as names of the running function. */
export function nameAngles(tape: Tape, tokens: number, headDim: number): Angles {
  const angles = (): Tensor => tape.name(tape.empty(tokens * headDim, 'fp32'));
  return { cosines: angles(), sines: angles() };
}

/** apply_rotary_emb over neighbouring pairs, in fp32 (diffusers, models/embeddings.py, use_real_unbind_dim=-1). */
export function rotatePairs(tape: Tape, x: Tensor, { cosines, sines }: Angles): Tensor {
  return tape.call([x], () => {
    const [real = x, imaginary = x] = split(tape, x, [x.elements / 2, x.elements / 2]);
    for (const part of [real, imaginary]) tape.name(part);
    const rotated = tape.name(cat(tape, scale(tape, imaginary), real));
    const kept = mul(tape, to(tape, x, 'fp32'), cosines);
    return to(tape, add(tape, kept, mul(tape, to(tape, rotated, 'fp32'), sines)), x.dtype);
  });
}

/**
 * Pairs as complex numbers in fp32 times a number for each position and pair, and back (diffusers, models/embeddings.py,
 * apply_rotary_emb with use_real=False). `numbers`: as many fp32 elements as complex numbers have parts.
 */
export function rotateComplex(tape: Tape, x: Tensor, numbers: Tensor): Tensor {
  return tape.call([x], () => {
    const wide = tape.name(to(tape, x, 'fp32'));
    const turned = tape.name(mul(tape, wide, numbers));
    return to(tape, turned, x.dtype);
  });
}
