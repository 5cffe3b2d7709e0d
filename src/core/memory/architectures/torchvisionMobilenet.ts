import type { Architecture, Model } from '../architecture';
import {
  buildNormedConvolution,
  divisible,
  globalPooling,
  imageClassifier,
  imagesOf,
  sequence,
} from '../blocks/images/layers';
import { buildInvertedResidual } from '../blocks/images/invertedResidual';
import type { InvertedShape } from '../blocks/images/invertedResidual';
import type { ConvolutionShape, FeatureMaps, Layers } from '../blocks/images/layers';
import { rows, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { activation, dropout, relu } from '../ops/pointwise';
import { activationInPlace, dropoutInPlace, reluInPlace } from '../ops/inPlace';
import type { MemoryRun } from '../run';

const DROPOUT = 0.2;

/** Layers in the order of their creation. */
class Chain {
  readonly steps: Step[] = [];

  constructor(public to: FeatureMaps) {}

  add({ steps, to }: Layers): void {
    this.steps.push(steps.length === 1 && steps[0] ? steps[0] : sequence(steps));
    this.to = to;
  }
}

const STEM: Omit<ConvolutionShape, 'channels'> = { size: 3, stride: 2, padding: 1 };

function buildThird(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const chain = new Chain(imagesOf(run));
  const stem = { ...STEM, channels: stated(model, 'stem', 0) };
  chain.add(buildNormedConvolution(builder, chain.to, stem, activationInPlace));
  for (const row of rows(model, 'blocks')) chain.add(buildInvertedResidual(builder, chain.to, third(row)));
  const channels = 6 * chain.to.channels;
  chain.add(buildNormedConvolution(builder, chain.to, { channels, size: 1 }, activationInPlace));
  const pool = globalPooling(chain.to);
  const hidden = stated(model, 'classifier', 0);
  const rate = run.task === 'train' ? DROPOUT : 0;
  const classifier = sequence([
    builder.linear({ name: 'classifier', inputs: channels, outputs: hidden, bias: true }),
    activationInPlace,
    (tape, x) => dropoutInPlace(tape, x, rate),
    buildClassifier(builder, run, hidden),
  ]);
  return imageClassifier(sequence([sequence(chain.steps), ...pool.steps, classifier]));
}

/** Kernel, expanded channels, channels, squeezes, hard swish, stride. */
function third([
  kernel = 1,
  expanded = 1,
  channels = 1,
  squeezes = 0,
  swish = 0,
  stride = 1,
]: readonly number[]): InvertedShape {
  const squeeze = { channels: divisible(Math.floor(expanded / 4)), activation: relu, gate: activation };
  const shape = { kernel, expanded, channels, stride, squeeze: squeezes === 1 ? squeeze : null };
  return { ...shape, activation: swish === 1 ? activationInPlace : reluInPlace };
}

function buildClassifier(builder: Builder, { model }: MemoryRun, inputs: number): Step {
  return builder.linear({ name: 'classifier', inputs, outputs: stated(model, 'num_classes', 0), bias: true });
}

const SECOND_STEM = 32;
const SECOND_LAST = 1280;

function buildSecond(builder: Builder, run: MemoryRun): Model {
  const chain = new Chain(imagesOf(run));
  chain.add(buildNormedConvolution(builder, chain.to, { ...STEM, channels: SECOND_STEM }, activationInPlace));
  for (const [factor = 1, channels = 1, times = 1, stride = 1] of rows(run.model, 'blocks')) {
    for (let i = 0; i < times; i++) {
      const expanded = factor * chain.to.channels;
      const shape = { kernel: 3, expanded, channels, stride: i === 0 ? stride : 1, squeeze: null };
      const design = { ...shape, activation: activationInPlace, plain: true };
      chain.add(buildInvertedResidual(builder, chain.to, design));
    }
  }
  chain.add(buildNormedConvolution(builder, chain.to, { channels: SECOND_LAST, size: 1 }, activationInPlace));
  const pool = globalPooling(chain.to);
  const rate = run.task === 'train' ? DROPOUT : 0;
  const classifier = sequence([
    (tape, x) => dropout(tape, x, rate),
    buildClassifier(builder, run, SECOND_LAST),
  ]);
  return imageClassifier(sequence([sequence(chain.steps), ...pool.steps, classifier]));
}

const facts = {
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
} as const;

export const torchvisionMobilenetV3: Architecture = {
  ...facts,
  modelTypes: ['torchvision_mobilenet_v3'],
  source: 'torchvision 0.29.2, models/mobilenetv3.py',
  build: buildThird,
};

export const torchvisionMobilenetV2: Architecture = {
  ...facts,
  modelTypes: ['torchvision_mobilenet_v2'],
  source: 'torchvision 0.29.2, models/mobilenetv2.py',
  build: buildSecond,
};
