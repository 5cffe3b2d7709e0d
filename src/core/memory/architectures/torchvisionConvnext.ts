import type { Architecture, Model } from '../architecture';
import {
  buildConvolution,
  buildStage,
  globalPooling,
  imageClassifier,
  imagesOf,
  sequence,
} from '../blocks/images/layers';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { buildLayerNorm } from '../blocks/norm';
import { numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { addInPlace } from '../ops/inPlace';
import { activation, mul, stochasticDepth } from '../ops/pointwise';
import { viewWhoseGradientIsCopied } from '../ops/shape';
import type { MemoryRun } from '../run';

/** CNBlock: a depthwise convolution, then an MLP over the channels between two permutations. */
function buildBlock(builder: Builder, from: FeatureMaps, drops: boolean): Layers {
  const { channels, batch } = from;
  const scale = builder.kernel([channels, 1, 1]);
  const shape = { channels, size: 7, padding: 3, groups: channels, bias: true };
  const deep = buildConvolution(builder, from, shape);
  const norm = buildLayerNorm(builder, channels);
  const linear = (inputs: number, outputs: number): Step =>
    builder.linear({ name: 'block', inputs, outputs, bias: true });
  const [up, down] = [linear(channels, 4 * channels), linear(4 * channels, channels)];
  const block = sequence([...deep.steps, norm, up, activation, down, viewWhoseGradientIsCopied]);
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      let result = tape.name(mul(tape, scale, block(tape, x)));
      if (drops) result = tape.rename(result, stochasticDepth(tape, result, batch));
      return addInPlace(tape, result, x);
    });
  return { steps: [step], to: from };
}

/** LayerNorm over the channels, and a convolution that halves each side. */
function buildDownsampling(builder: Builder, from: FeatureMaps, channels: number): Layers {
  const norm = buildLayerNorm(builder, from.channels);
  const { steps, to } = buildConvolution(builder, from, { channels, size: 2, stride: 2, bias: true });
  return { steps: [sequence([norm, ...steps])], to };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const widths = numbers(model, 'widths');
  const stem = { channels: widths[0] ?? 0, size: 4, stride: 4, bias: true };
  const first = buildConvolution(builder, imagesOf(run), stem);
  const features: Step[] = [sequence([...first.steps, buildLayerNorm(builder, first.to.channels)])];
  let maps = first.to;
  const drops = run.task === 'train' && stated(model, 'stochastic_depth', 0) > 0;
  numbers(model, 'blocks').forEach((blocks, i) => {
    const block = (isDropped: boolean) => (from: FeatureMaps) => buildBlock(builder, from, isDropped);
    // The drop probability increases from block to block; in the first block it is 0.
    const stage = buildStage(builder, maps, { blocks, first: block(drops && i > 0), other: block(drops) });
    const next = widths[i + 1];
    const after = next === undefined ? null : buildDownsampling(builder, stage.to, next);
    features.push(...stage.steps, ...(after?.steps ?? []));
    maps = after?.to ?? stage.to;
  });
  const pool = globalPooling(maps, true);
  const classes = {
    name: 'classifier',
    inputs: maps.channels,
    outputs: stated(model, 'num_classes', 0),
    bias: true,
  };
  const classifier = sequence([buildLayerNorm(builder, maps.channels), builder.linear(classes)]);
  return imageClassifier(sequence([sequence(features), ...pool.steps, classifier]));
}

export const torchvisionConvnext: Architecture = {
  modelTypes: ['torchvision_convnext'],
  source: 'torchvision 0.29.2, models/convnext.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};
