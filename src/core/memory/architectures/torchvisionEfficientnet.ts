import type { Architecture, Model } from '../architecture';
import {
  buildNormedConvolution,
  buildStage,
  divisible,
  globalPooling,
  imageClassifier,
  imagesOf,
  sequence,
} from '../blocks/images/layers';
import { buildInvertedResidual } from '../blocks/images/invertedResidual';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { rows, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { activationInPlace, dropoutInPlace } from '../ops/inPlace';
import { tanh } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** sigmoid keeps its result, like tanh. */
const sigmoid = tanh;

/** Fused, expansion, kernel, stride, channels before and after, blocks. */
function stage(
  builder: Builder,
  from: FeatureMaps,
  row: readonly number[],
  drops: readonly [boolean, boolean],
): Layers {
  const [isFused = 0, expansion = 1, kernel = 1, stride = 1, inputs = 1, channels = 1, blocks = 1] = row;
  const make = (before: number, step: number, isDropped: boolean) => (maps: FeatureMaps) => {
    const squeeze = {
      channels: Math.max(1, Math.floor(before / 4)),
      activation: activationInPlace,
      gate: sigmoid,
    };
    const shape = { kernel, channels, stride: step, expanded: divisible(before * expansion), squeeze };
    const design = { ...shape, activation: activationInPlace, drops: isDropped, fused: isFused === 1 };
    return buildInvertedResidual(builder, maps, design);
  };
  const [first, others] = drops;
  return buildStage(builder, from, {
    blocks,
    first: make(inputs, stride, first),
    other: make(channels, 1, others),
  });
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const table = rows(model, 'blocks');
  const [, , , , stemChannels = 0] = table[0] ?? [];
  const stem = { channels: stemChannels, size: 3, stride: 2, padding: 1 };
  const start = buildNormedConvolution(builder, imagesOf(run), stem, activationInPlace);
  const isTrained = run.task === 'train';
  const features: Step[] = [sequence(start.steps)];
  let maps = start.to;
  table.forEach((row, i) => {
    // The drop probability increases from block to block; in the first block it is 0.
    const { steps, to } = stage(builder, maps, row, [isTrained && i > 0, isTrained]);
    features.push(...steps);
    maps = to;
  });
  const channels = stated(model, 'last', 4 * maps.channels);
  const last = buildNormedConvolution(builder, maps, { channels, size: 1 }, activationInPlace);
  features.push(sequence(last.steps));
  const pool = globalPooling(last.to);
  const rate = isTrained ? stated(model, 'dropout', 0) : 0;
  const classes = {
    name: 'classifier',
    inputs: channels,
    outputs: stated(model, 'num_classes', 0),
    bias: true,
  };
  const classifier = sequence([(tape, x) => dropoutInPlace(tape, x, rate), builder.linear(classes)]);
  return imageClassifier(sequence([sequence(features), ...pool.steps, classifier]));
}

export const torchvisionEfficientnet: Architecture = {
  modelTypes: ['torchvision_efficientnet'],
  source: 'torchvision 0.29.2, models/efficientnet.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};
