import { product, reshape } from './tensors';
import { tensorIn } from './torchFunction';
import type { TorchFunction } from './torchFunction';
import type { Trace } from './trace';
import type { Tensor, Value } from './values';
import { isTensor, raise, Reader, sizesOf } from './values';
import { convolutionWork } from './work';

/** A sliding window, by dimension. */
export interface Window {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[] | 'same';
  readonly dilation: readonly number[];
  readonly roundsUp?: boolean;
}

/** The sides that a window leaves. */
export function windowed(sides: readonly number[], window: Window): readonly number[] {
  return sides.map((side, at) => {
    const { kernel, stride, padding, dilation, roundsUp } = window;
    if (padding === 'same') return side;
    const reach = (dilation[at] ?? 1) * ((kernel[at] ?? 1) - 1) + 1;
    const steps = (side + 2 * (padding[at] ?? 0) - reach) / (stride[at] ?? 1);
    const found = (roundsUp === true ? Math.ceil(steps) : Math.floor(steps)) + 1;
    return found > 0 ? found : raise('an image smaller than a window');
  });
}

/** Batch, channels and sides; a batch may be missing. */
export function imageOf(
  x: Tensor,
  rank: number,
): { lead: readonly number[]; channels: number; sides: readonly number[] } {
  if (x.shape.length < rank + 1 || x.shape.length > rank + 2) raise('an image of other dimensions');
  const sides = x.shape.slice(-rank);
  return { lead: x.shape.slice(0, -rank - 1), channels: x.shape.at(-rank - 1) ?? 1, sides };
}

/** A convolution: keeps its input, under autocast in 16 bits. */
export function convolved(trace: Trace, x: Tensor, weight: Tensor, channels: number, window: Window): Tensor {
  const rank = window.kernel.length;
  const { lead, sides } = imageOf(x, rank);
  const shape = [...lead, channels, ...windowed(sides, window)];
  return product(trace, [x, weight], shape, convolutionWork(weight, channels, shape, x.shape));
}

const convolution =
  (rank: number): TorchFunction =>
  ({ trace }, args) => {
    const reader = new Reader(args, ['input', 'weight', 'bias', 'stride', 'padding', 'dilation', 'groups']);
    const weight = reader.get('weight');
    if (!isTensor(weight)) return raise('a weight is not known');
    const padding = reader.get('padding', 0);
    return convolved(trace, tensorIn(args), weight, weight.shape[0] ?? 1, {
      kernel: weight.shape.slice(2),
      stride: reader.sizes('stride', rank, 1),
      padding: padding === 'same' ? 'same' : sizesOf(padding, rank),
      dilation: reader.sizes('dilation', rank, 1),
    });
  };

/** A pooling layer: keeps its input, a maximum also where it is. */
export function pooled(
  trace: Trace,
  x: Tensor,
  sides: readonly number[],
  rank: number,
  isMax: boolean,
): Tensor {
  const { lead, channels } = imageOf(x, rank);
  const result = trace.result([...lead, channels, ...sides], [x]);
  // The mean of whole images keeps nothing.
  if (!result.grad || (!isMax && sides.every(side => side === 1))) return result;
  trace.keep(x);
  if (isMax) trace.keep(trace.result(result.shape, [], null, 'integer'));
  return result;
}

const pooling =
  (rank: number, isMax: boolean): TorchFunction =>
  ({ trace }, args) => {
    const names = isMax
      ? ['input', 'kernel_size', 'stride', 'padding', 'dilation', 'ceil_mode']
      : ['input', 'kernel_size', 'stride', 'padding', 'ceil_mode'];
    const reader = new Reader(args, names);
    const x = tensorIn(args);
    const kernel = reader.sizes('kernel_size', rank);
    const window = {
      kernel,
      stride: reader.get('stride') === null ? kernel : reader.sizes('stride', rank),
      padding: reader.sizes('padding', rank, 0),
      dilation: isMax ? reader.sizes('dilation', rank, 1) : sizesOf(1, rank),
      roundsUp: reader.flag('ceil_mode', false),
    };
    return pooled(trace, x, windowed(imageOf(x, rank).sides, window), rank, isMax);
  };

/** Sides as given; null keeps one. */
const adaptive =
  (rank: number, isMax: boolean): TorchFunction =>
  ({ trace }, args) => {
    const x = tensorIn(args);
    const wanted = new Reader(args, ['input', 'output_size']).get('output_size');
    const given = Array.isArray(wanted) ? wanted : Array.from({ length: rank }, () => wanted);
    const { sides } = imageOf(x, rank);
    const found = given.map((size: Value, at) => (typeof size === 'number' ? size : (sides[at] ?? 1)));
    return pooled(trace, x, found, rank, isMax);
  };

/** Images of another size: keeps nothing. */
export const interpolate: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'size', 'scale_factor']);
  const rank = x.shape.length - 2;
  const size = reader.get('size');
  const sides =
    size === null
      ? reader.sizes('scale_factor', rank).map((factor, at) => Math.floor((x.shape[at + 2] ?? 1) * factor))
      : sizesOf(size, rank);
  return trace.result([...x.shape.slice(0, 2), ...sides], [x], false);
};

const shuffled: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const by = new Reader(args, ['input', 'upscale_factor']).number('upscale_factor');
  const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
  return reshape(trace, x, [batch, channels / by ** 2, height * by, width * by]);
};

const gridSample: TorchFunction = ({ trace }, args) => {
  const [x, grid] = args.list;
  if (!isTensor(x) || !isTensor(grid)) return raise('a tensor is not known');
  const result = trace.result([...x.shape.slice(0, 2), ...grid.shape.slice(1, -1)], [x, grid]);
  if (result.grad) for (const one of [x, grid]) trace.keep(one, 'wide');
  return result;
};

/** Functions over windows of images and sequences. */
export const windows: Readonly<Record<string, TorchFunction>> = {
  conv1d: convolution(1),
  conv2d: convolution(2),
  conv3d: convolution(3),
  max_pool1d: pooling(1, true),
  max_pool2d: pooling(2, true),
  max_pool3d: pooling(3, true),
  avg_pool1d: pooling(1, false),
  avg_pool2d: pooling(2, false),
  avg_pool3d: pooling(3, false),
  adaptive_avg_pool1d: adaptive(1, false),
  adaptive_avg_pool2d: adaptive(2, false),
  adaptive_avg_pool3d: adaptive(3, false),
  adaptive_max_pool1d: adaptive(1, true),
  adaptive_max_pool2d: adaptive(2, true),
  adaptive_max_pool3d: adaptive(3, true),
  interpolate,
  upsample: interpolate,
  pixel_shuffle: shuffled,
  grid_sample: gridSample,
};
