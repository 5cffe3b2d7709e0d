import { mul } from '../../../ops/pointwise';
import { to } from '../../../ops/cast';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';

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
