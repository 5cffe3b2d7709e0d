import type { Builder, Step } from '../../modules';
import { mul } from '../../ops/pointwise';
import { buildConvolution, globalPooling, sequence } from './layers';
import type { FeatureMaps } from './layers';

export interface SqueezeShape {
  readonly channels: number;
  readonly activation: Step;
  /** What makes a factor of the second layer's output. */
  readonly gate: Step;
}

/** torchvision ops/misc.py, SqueezeExcitation: each map times a factor that the means of all maps decide. */
export function buildSqueeze(builder: Builder, from: FeatureMaps, shape: SqueezeShape): Step {
  const pool = globalPooling(from);
  const narrow = buildConvolution(builder, pool.to, { channels: shape.channels, size: 1, bias: true });
  const wide = buildConvolution(builder, narrow.to, { channels: from.channels, size: 1, bias: true });
  const factor = sequence([...pool.steps, ...narrow.steps, shape.activation, ...wide.steps, shape.gate]);
  return (tape, x) => tape.call([x], () => mul(tape, tape.name(factor(tape, x)), x));
}

/** Channels as a multiple of 8, never a tenth less (torchvision models/_utils.py, _make_divisible). */
export function divisible(channels: number): number {
  const rounded = Math.max(8, Math.floor((channels + 4) / 8) * 8);
  return rounded < 0.9 * channels ? rounded + 8 : rounded;
}
