import type { Builder, Step } from '../../../modules';
import { convolution } from '../../../ops/convolution';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { elementsOf, windowed, winograd } from '../layers';
import type { ConvolutionShape, FeatureMaps } from '../layers';

/** Maps with their sizes. */
export interface Maps {
  readonly x: Tensor;
  readonly at: FeatureMaps;
}

/** A layer that accepts maps of any size. */
export type OnMaps = (tape: Tape, maps: Maps) => Maps;

/** torch.nn.Conv2d over maps of several sizes in sequence. */
export function buildShared(builder: Builder, inputs: number, shape: ConvolutionShape): OnMaps {
  const { channels, size, groups = 1, bias = true } = shape;
  const weight = builder.kernel([channels, inputs / groups, size, size]);
  const kernel = { weight, bias: bias ? builder.vector(channels) : null };
  return (tape, { x, at }) => {
    const to = { ...windowed(at, shape), channels };
    const transformed = winograd(at, to, shape);
    return { x: convolution(tape, x, { ...kernel, transformed }, elementsOf(to)), at: to };
  };
}

/** A layer followed by a step that keeps the size. */
export function followedBy(layer: OnMaps, step: Step): OnMaps {
  return (tape, maps) => {
    const { x, at } = layer(tape, maps);
    return { x: step(tape, x), at };
  };
}
