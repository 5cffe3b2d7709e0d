import type { Builder, Step } from '../../../modules';
import { to } from '../../../ops/cast';
import { mean, mul, rsqrt, shift, square } from '../../../ops/pointwise';
import { isHalf } from '../../../tensor';

/** RMSNorm of diffusers (models/normalization.py): the input times fp32 factors, then in the weight's dtype. */
export function buildRmsNorm(builder: Builder, size: number): Step {
  const weight = builder.vector(size);
  return (tape, x) =>
    tape.call([x], () => {
      const variance = tape.name(mean(tape, square(tape, to(tape, x, 'fp32')), size));
      const normed = tape.name(mul(tape, x, rsqrt(tape, shift(tape, variance))));
      const cast = isHalf(weight.dtype) ? tape.rename(normed, to(tape, normed, weight.dtype)) : normed;
      return mul(tape, cast, weight);
    });
}
