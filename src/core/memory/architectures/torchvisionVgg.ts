import type { Architecture, Model } from '../architecture';
import {
  adaptivePooling,
  buildConvolution,
  buildNormedConvolution,
  elementsOf,
  imageClassifier,
  imagesOf,
  maxPooling,
  sequence,
} from '../blocks/images/layers';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { flag, numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { dropout } from '../ops/pointwise';
import { reluInPlace } from '../ops/inPlace';
import type { MemoryRun } from '../run';

const POOLED_SIDE = 7;
const HIDDEN = 4096;
const DROPOUT = 0.5;

/** Convolutions by their channels, 0 for a pooling layer, as in VGG's own table. */
function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const normed = flag(model, 'batch_norm');
  const steps: Step[] = [];
  let maps = imagesOf(run);
  for (const channels of numbers(model, 'layers')) {
    const layer = channels === 0 ? pooling(maps) : convolution(builder, maps, channels, normed);
    maps = layer.to;
    steps.push(...layer.steps);
  }
  const pool = adaptivePooling(maps, POOLED_SIDE);
  const classes = stated(model, 'num_classes', 0);
  const classifier = buildClassifier(builder, run, elementsOf(pool.to) / run.batch.rows, classes);
  return imageClassifier(sequence([sequence(steps), ...pool.steps, classifier]));
}

const pooling = (from: FeatureMaps): Layers => maxPooling(from, { size: 2, stride: 2 });

function convolution(builder: Builder, from: FeatureMaps, channels: number, normed: boolean): Layers {
  const shape = { channels, size: 3, padding: 1, bias: true };
  if (normed) return buildNormedConvolution(builder, from, shape, reluInPlace);
  const { steps, to } = buildConvolution(builder, from, shape);
  return { to, steps: [...steps, reluInPlace] };
}

function buildClassifier(builder: Builder, { task }: MemoryRun, inputs: number, classes: number): Step {
  const rate = task === 'train' ? DROPOUT : 0;
  const dropped: Step = (tape, x) => dropout(tape, x, rate);
  const linear = (from: number, outputs: number): Step =>
    builder.linear({ name: 'classifier', inputs: from, outputs, bias: true });
  const first = [linear(inputs, HIDDEN), reluInPlace, dropped];
  const second = [linear(HIDDEN, HIDDEN), reluInPlace, dropped];
  return sequence([...first, ...second, linear(HIDDEN, classes)]);
}

/** VGG, with and without BatchNorm. */
export const torchvisionVgg: Architecture = {
  modelTypes: ['torchvision_vgg'],
  source: 'torchvision 0.29.2, models/vgg.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};
