import type { Builder, Step } from '../../modules';
import { to } from '../../ops/cast';
import { groupNorm, plainLayerNorm, rmsNormKernel } from '../../ops/norm';
import { activation, mean, mul, rsqrt, shift, square } from '../../ops/pointwise';
import { isHalf } from '../../tensor';
import type { FeatureMaps } from '../images/layers';

/** FeedForward with GELU (diffusers, models/attention.py). */
export function buildFeedForward(builder: Builder, size: number, inner = 4 * size): Step {
  const up = builder.linear({ name: 'ff.net.0.proj', inputs: size, outputs: inner, bias: true });
  const down = builder.linear({ name: 'ff.net.2', inputs: inner, outputs: size, bias: true });
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.call([x], () => activation(tape, tape.name(up(tape, x))));
      return down(tape, tape.name(states));
    });
}

/** UNet2DConditionModel's norm_num_groups. */
const GROUPS = 32;

/** torch.nn.GroupNorm over the maps of each image. */
export function buildGroupNorm(builder: Builder, { channels, batch }: FeatureMaps): Step {
  const norm = { weight: builder.vector(channels), bias: builder.vector(channels), groups: batch * GROUPS };
  return (tape, x) => groupNorm(tape, x, norm);
}

/** A norm over `size` elements. */
export type BuildNorm = (builder: Builder, size: number) => Step;

/** torch.nn.RMSNorm. */
export const fusedRmsNorm: BuildNorm = (builder, size) => {
  const weight = builder.vector(size);
  return (tape, x) => rmsNormKernel(tape, x, weight);
};

/**
 * RMSNorm of diffusers (models/normalization.py): the input times fp32 factors, then cast to the weight's dtype.
 */
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

/** FP32LayerNorm of diffusers, without weights: in fp32, and cast back. */
export const wideLayerNorm: BuildNorm = (_, size) => (tape, x) =>
  tape.call([x], () => to(tape, plainLayerNorm(tape, to(tape, x, 'fp32'), size), x.dtype));
