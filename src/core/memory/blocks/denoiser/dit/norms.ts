import type { Builder, Step } from '../../../modules';
import { to } from '../../../ops/cast';
import { plainLayerNorm, rmsNormKernel } from '../../../ops/norm';
import { mean, mul, rsqrt, shift, square } from '../../../ops/pointwise';
import { isHalf } from '../../../tensor';

/** A norm over `size` elements. */
export type BuildNorm = (builder: Builder, size: number) => Step;

/** torch.nn.RMSNorm. */
export const fusedRmsNorm: BuildNorm = (builder, size) => {
  const weight = builder.vector(size);
  return (tape, x) => rmsNormKernel(tape, x, weight);
};

/** RMSNorm of diffusers (models/normalization.py): the input times fp32 factors, then in the weight's dtype. */
export const rmsNorm: BuildNorm = (builder, size) => {
  const weight = builder.vector(size);
  return (tape, x) =>
    tape.call([x], () => {
      const variance = tape.name(mean(tape, square(tape, to(tape, x, 'fp32')), size));
      const normed = tape.name(mul(tape, x, rsqrt(tape, shift(tape, variance))));
      const cast = isHalf(weight.dtype) ? tape.rename(normed, to(tape, normed, weight.dtype)) : normed;
      return mul(tape, cast, weight);
    });
};

/** FP32LayerNorm of diffusers, without weights: in fp32, and back. */
export const wideLayerNorm: BuildNorm = (_, size) => (tape, x) =>
  tape.call([x], () => to(tape, plainLayerNorm(tape, to(tape, x, 'fp32'), size), x.dtype));
