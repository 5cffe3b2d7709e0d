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

/** Cosines and sines for this many positions, named in the running function. */
export function nameAngles(tape: Tape, tokens: number, headDim: number): Angles {
  const angles = (): Tensor => tape.name(tape.empty(tokens * headDim, 'fp32'));
  return { cosines: angles(), sines: angles() };
}

/** apply_rotary_emb over adjacent pairs, in fp32 (diffusers, models/embeddings.py, use_real_unbind_dim=-1). */
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
 * Multiplies pairs as fp32 complex numbers by a number per position and pair, and converts back (diffusers,
 * models/embeddings.py, apply_rotary_emb with use_real=False). `numbers`: fp32 elements, two per complex number.
 */
export function rotateComplex(tape: Tape, x: Tensor, numbers: Tensor): Tensor {
  return tape.call([x], () => {
    const wide = tape.name(to(tape, x, 'fp32'));
    const turned = tape.name(mul(tape, wide, numbers));
    return to(tape, turned, x.dtype);
  });
}
