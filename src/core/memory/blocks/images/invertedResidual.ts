import type { Builder, Step } from '../../modules';
import { addInPlace } from '../../ops/inPlace';
import { add, stochasticDepth } from '../../ops/pointwise';
import { buildNormedConvolution, buildSqueeze, padded, sequence } from './layers';
import type { FeatureMaps, Layers, SqueezeShape } from './layers';

/** A block that expands, convolves depthwise, and projects. */
export interface InvertedShape {
  readonly expanded: number;
  readonly channels: number;
  readonly kernel: number;
  readonly stride: number;
  readonly activation: Step;
  readonly squeeze: SqueezeShape | null;
  /** One full convolution expands (FusedMBConv). */
  readonly fused?: boolean;
  /** Stochastic depth: sometimes skips whole images. */
  readonly drops?: boolean;
  /**
   * The last convolution and its norm are in the block's own Sequential, and the sum is a new tensor (MobileNetV2).
   */
  readonly plain?: boolean;
}

/** InvertedResidual, MBConv, FusedMBConv (torchvision models/mobilenetv2.py, mobilenetv3.py, efficientnet.py). */
export function buildInvertedResidual(builder: Builder, from: FeatureMaps, shape: InvertedShape): Layers {
  const { steps, to } = shape.fused ? fused(builder, from, shape) : separate(builder, from, shape);
  const block = sequence(steps);
  const joined = shape.stride === 1 && from.channels === to.channels;
  if (!joined) return { steps: [block], to };
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      let result = tape.name(block(tape, x));
      if (shape.drops) result = tape.rename(result, stochasticDepth(tape, result, from.batch));
      return shape.plain ? add(tape, x, result) : addInPlace(tape, result, x);
    });
  return { steps: [step], to };
}

function separate(builder: Builder, from: FeatureMaps, shape: InvertedShape): Layers {
  const { expanded, channels, kernel, stride, activation, squeeze, plain = false } = shape;
  const widen = { channels: expanded, size: 1 };
  const wide = expanded === from.channels ? null : buildNormedConvolution(builder, from, widen, activation);
  const convolution = { channels: expanded, size: kernel, stride, padding: padded(kernel), groups: expanded };
  const deep = buildNormedConvolution(builder, wide?.to ?? from, convolution, activation);
  const squeezed = squeeze ? [buildSqueeze(builder, deep.to, squeeze)] : [];
  const narrow = buildNormedConvolution(builder, deep.to, { channels, size: 1 }, null);
  const first = wide ? [sequence(wide.steps)] : [];
  const last = plain ? narrow.steps : [sequence(narrow.steps)];
  return { steps: [...first, sequence(deep.steps), ...squeezed, ...last], to: narrow.to };
}

function fused(builder: Builder, from: FeatureMaps, shape: InvertedShape): Layers {
  const { expanded, channels, kernel, stride, activation } = shape;
  const convolution = { size: kernel, stride, padding: padded(kernel) };
  if (expanded === from.channels) {
    const only = buildNormedConvolution(builder, from, { ...convolution, channels }, activation);
    return { steps: [sequence(only.steps)], to: only.to };
  }
  const wide = buildNormedConvolution(builder, from, { ...convolution, channels: expanded }, activation);
  const narrow = buildNormedConvolution(builder, wide.to, { channels, size: 1 }, null);
  return { steps: [sequence(wide.steps), sequence(narrow.steps)], to: narrow.to };
}
