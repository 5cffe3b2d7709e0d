import type { Model } from '../../architecture';
import type { Builder, Step } from '../../modules';
import { convolution } from '../../ops/convolution';
import { batchNorm, buildBatchNorm } from '../../ops/norm';
import { mean, mul } from '../../ops/pointwise';
import { averagePool, maxPool } from '../../ops/pooling';
import { viewWhoseGradientIsCopied } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import { LOGITS } from '../../terms';
import { classLoss } from '../loss/crossEntropy';

/** The feature maps between two layers, for a whole batch. */
export interface FeatureMaps {
  readonly batch: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** A layer, or consecutive layers in the caller's function, with their output maps. */
export interface Layers {
  readonly steps: readonly Step[];
  readonly to: FeatureMaps;
}

/** A sliding window. */
interface Window {
  readonly size: number;
  readonly stride?: number;
  readonly padding?: number;
}

export interface ConvolutionShape extends Window {
  readonly channels: number;
  readonly groups?: number;
  readonly bias?: boolean;
}

export function elementsOf({ batch, channels, height, width }: FeatureMaps): number {
  return batch * channels * height * width;
}

/** The output maps of a window over these maps, rounded down. */
export function windowed(from: FeatureMaps, { size, stride = 1, padding = 0 }: Window): FeatureMaps {
  const side = (length: number): number => Math.floor((length + 2 * padding - size) / stride) + 1;
  return { ...from, height: side(from.height), width: side(from.width) };
}

/** Output side of a tile, and values that a tile is transformed to: F(4 × 4, 3 × 3). */
const TILE = 4;
const TRANSFORMED = (TILE + 3 - 1) ** 2;

/**
 * Elements of the workspace of CUDNN_CONVOLUTION_*_ALGO_WINOGRAD_NONFUSED, which cuDNN uses for 3 × 3 windows in
 * fp32: input, output and weight in transformed tiles (Lavin and Gray 2015, Fast Algorithms for Convolutional
 * Neural Networks). It explains the excess of detectron2's model zoo over the tape within a tenth: 0.6 GiB with 256
 * maps on the lowest level of a pyramid, 0.3 with 1,024 and 0.9 with 2,048 on one level.
 */
export function winograd(from: FeatureMaps, to: FeatureMaps, shape: ConvolutionShape): number {
  const { size, stride = 1, groups = 1 } = shape;
  if (size !== 3 || stride !== 1 || groups > 1) return 0;
  const tiles = from.batch * Math.ceil(to.height / TILE) * Math.ceil(to.width / TILE);
  return TRANSFORMED * (tiles * (from.channels + to.channels) + from.channels * to.channels);
}

/** torch.nn.Conv2d */
export function buildConvolution(builder: Builder, from: FeatureMaps, shape: ConvolutionShape): Layers {
  const { channels, size, groups = 1, bias = false } = shape;
  const weight = builder.kernel([channels, from.channels / groups, size, size]);
  const to = { ...windowed(from, shape), channels };
  const transformed = winograd(from, to, shape);
  const kernel = { weight, bias: bias ? builder.vector(channels) : null, transformed };
  const elements = elementsOf(to);
  return { to, steps: [(tape, x) => convolution(tape, x, kernel, elements)] };
}

/** Creates the norm over the given maps. */
export type BuildNorm = (builder: Builder, maps: FeatureMaps) => Step;

/** torch.nn.BatchNorm2d */
export const batchNormed: BuildNorm = (builder, { channels }) => {
  const norm = buildBatchNorm(builder, channels);
  return (tape, x) => batchNorm(tape, x, norm);
};

/** A convolution, its norm, and the following step. */
export function buildNormedConvolution(
  builder: Builder,
  from: FeatureMaps,
  shape: ConvolutionShape,
  activation: Step | null,
  norm: BuildNorm = batchNormed,
): Layers {
  const { steps, to } = buildConvolution(builder, from, shape);
  return { to, steps: [...steps, norm(builder, to), ...(activation ? [activation] : [])] };
}

/** The padding that keeps the size of an image that the window's stride divides. */
export function padded(size: number): number {
  return Math.floor((size - 1) / 2);
}

/** torch.nn.MaxPool2d */
export function maxPooling(from: FeatureMaps, window: Window): Layers {
  const to = windowed(from, window);
  const elements = elementsOf(to);
  return { to, steps: [(tape, x) => maxPool(tape, x, elements)] };
}

/** torch.nn.AdaptiveAvgPool2d(1): the mean of each map; a channels-last input is reshaped. */
export function globalPooling(from: FeatureMaps, channelsLast = false): Layers {
  const size = from.height * from.width;
  const to = { ...from, height: 1, width: 1 };
  const step: Step = (tape, x) => {
    const pooled = mean(tape, x, size);
    return channelsLast ? viewWhoseGradientIsCopied(tape, pooled) : pooled;
  };
  return { to, steps: [step] };
}

/** torch.nn.AdaptiveAvgPool2d(side) */
export function adaptivePooling(from: FeatureMaps, side: number): Layers {
  const to = { ...from, height: side, width: side };
  return { to, steps: [(tape, x) => averagePool(tape, x, elementsOf(to))] };
}

/** torch.nn.Sequential: rebinds its variable to each layer's output. */
export function sequence(steps: readonly Step[]): Step {
  return (tape, x) =>
    tape.call([x], () => {
      const [first, ...others] = steps;
      if (!first) return x;
      return tape.through(
        tape.name(first(tape, x)),
        others.map(step => states => step(tape, states)),
      );
    });
}

/** Consecutive blocks that are equal except for the first. */
interface StageShape {
  readonly blocks: number;
  readonly first: (from: FeatureMaps) => Layers;
  readonly other: (from: FeatureMaps) => Layers;
}

/** A Sequential of such blocks; equal ones are walked once. */
export function buildStage(
  builder: Builder,
  from: FeatureMaps,
  { blocks, first, other }: StageShape,
): Layers {
  const head = first(from);
  const others = blocks > 1 ? builder.repeat(blocks - 1, () => sequence(other(head.to).steps)) : [];
  const start = sequence(head.steps);
  const step: Step = (tape, x) =>
    tape.call([x], () =>
      others.reduce(
        (states, { part, times }) => tape.repeat(times, states, [each => part(tape, each)]),
        tape.name(start(tape, x)),
      ),
    );
  return { to: head.to, steps: [step] };
}

export interface SqueezeShape {
  readonly channels: number;
  readonly activation: Step;
  /** The function from the second layer's output to a factor. */
  readonly gate: Step;
}

/** torchvision ops/misc.py, SqueezeExcitation: scales each map by a factor computed from the means of all maps. */
export function buildSqueeze(builder: Builder, from: FeatureMaps, shape: SqueezeShape): Step {
  const pool = globalPooling(from);
  const narrow = buildConvolution(builder, pool.to, { channels: shape.channels, size: 1, bias: true });
  const wide = buildConvolution(builder, narrow.to, { channels: from.channels, size: 1, bias: true });
  const factor = sequence([...pool.steps, ...narrow.steps, shape.activation, ...wide.steps, shape.gate]);
  return (tape, x) => tape.call([x], () => mul(tape, tape.name(factor(tape, x)), x));
}

/** Channels rounded to a multiple of 8, but never a tenth lower (torchvision models/_utils.py, _make_divisible). */
export function divisible(channels: number): number {
  const rounded = Math.max(8, Math.floor((channels + 4) / 8) * 8);
  return rounded < 0.9 * channels ? rounded + 8 : rounded;
}

/** The images of a batch; empty without images. */
export function imagesOf({ batch: { rows: batch, image } }: MemoryRun): FeatureMaps {
  const { channels, height, width } = image ?? { channels: 0, height: 0, width: 0 };
  return { batch, channels, height, width };
}

/** A network from pixels to classes, with a cross-entropy loss. */
export function imageClassifier(network: Step): Model {
  return (tape, { inputIds, labels }) => {
    const logits = network(tape, inputIds);
    return tape.during(LOGITS, () => classLoss(tape, logits, labels));
  };
}
