import type { Architecture, Model } from '../architecture';
import {
  batchNormed,
  elementsOf,
  globalPooling,
  imageClassifier,
  imagesOf,
  maxPooling,
  sequence,
  windowed,
  winograd,
} from '../blocks/images/layers';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { convolution } from '../ops/convolution';
import { dropout } from '../ops/pointwise';
import { reluInPlace } from '../ops/inPlace';
import { averagePool } from '../ops/pooling';
import { catAll } from '../ops/shape';
import type { MemoryRun } from '../run';

/** A layer of a branch: `[channels, height, width, stride, padding]`, or another kind. */
type Layer =
  | readonly [channels: number, height: number, width: number, stride?: number, padding?: 'none']
  | 'average'
  | 'maximum'
  | { readonly both: readonly [Layer, Layer] };

type Branch = readonly Layer[];

/** BasicConv2d */
function buildLayer(builder: Builder, from: FeatureMaps, layer: Layer): Layers {
  if (layer === 'average') {
    return { to: from, steps: [(tape, x) => averagePool(tape, x, elementsOf(from))] };
  }
  if (layer === 'maximum') return maxPooling(from, { size: 3, stride: 2 });
  if ('both' in layer) {
    const sides = layer.both.map(one => [one]);
    return buildBranches(builder, from, sides);
  }
  const [channels, height, width, stride = 1, padding] = layer;
  const weight = builder.kernel([channels, from.channels, height, width]);
  const square = {
    size: height,
    stride,
    padding: padding === 'none' || height !== width ? 0 : (height - 1) / 2,
  };
  // Non-square windows keep the size.
  const to = { ...(height === width ? windowed(from, square) : from), channels };
  const kernel = { weight, bias: null, transformed: winograd(from, to, { ...square, channels }) };
  const elements = elementsOf(to);
  const step = sequence([
    (tape, x) => convolution(tape, x, kernel, elements),
    batchNormed(builder, to),
    reluInPlace,
  ]);
  return { to, steps: [step] };
}

function buildBranch(builder: Builder, from: FeatureMaps, branch: Branch): Layers {
  let at = from;
  const steps: Step[] = [];
  for (const layer of branch) {
    const made = buildLayer(builder, at, layer);
    steps.push(...made.steps);
    at = made.to;
  }
  return { to: at, steps };
}

/** Parallel branches over the same maps; all outputs live until they are concatenated. */
function buildBranches(builder: Builder, from: FeatureMaps, branches: readonly Branch[]): Layers {
  const made = branches.map(branch => buildBranch(builder, from, branch));
  const channels = made.reduce((sum, { to }) => sum + to.channels, 0);
  const to = { ...(made[0]?.to ?? from), channels };
  const step: Step = (tape, x) =>
    tape.call([x], () =>
      catAll(
        tape,
        made.map(({ steps }) => tape.name(sequence(steps)(tape, x))),
      ),
    );
  return { to, steps: [step] };
}

const inceptionA = (pooled: number): readonly Branch[] => [
  [[64, 1, 1]],
  [
    [48, 1, 1],
    [64, 5, 5],
  ],
  [
    [64, 1, 1],
    [96, 3, 3],
    [96, 3, 3],
  ],
  ['average', [pooled, 1, 1]],
];
const inceptionB: readonly Branch[] = [
  [[384, 3, 3, 2, 'none']],
  [
    [64, 1, 1],
    [96, 3, 3],
    [96, 3, 3, 2, 'none'],
  ],
  ['maximum'],
];
const inceptionC = (narrow: number): readonly Branch[] => [
  [[192, 1, 1]],
  [
    [narrow, 1, 1],
    [narrow, 1, 7],
    [192, 7, 1],
  ],
  [
    [narrow, 1, 1],
    [narrow, 7, 1],
    [narrow, 1, 7],
    [narrow, 7, 1],
    [192, 1, 7],
  ],
  ['average', [192, 1, 1]],
];
const inceptionD: readonly Branch[] = [
  [
    [192, 1, 1],
    [320, 3, 3, 2, 'none'],
  ],
  [
    [192, 1, 1],
    [192, 1, 7],
    [192, 7, 1],
    [192, 3, 3, 2, 'none'],
  ],
  ['maximum'],
];
const SIDES: Layer = {
  both: [
    [384, 1, 3],
    [384, 3, 1],
  ],
};
const inceptionE: readonly Branch[] = [
  [[320, 1, 1]],
  [[384, 1, 1], SIDES],
  [[448, 1, 1], [384, 3, 3], SIDES],
  ['average', [192, 1, 1]],
];

const STEM: Branch = [
  [32, 3, 3, 2, 'none'],
  [32, 3, 3, 1, 'none'],
  [64, 3, 3],
  'maximum',
  [80, 1, 1],
  [192, 3, 3, 1, 'none'],
  'maximum',
];

const BLOCKS: readonly (readonly Branch[])[] = [
  ...[32, 64, 64].map(inceptionA),
  inceptionB,
  ...[128, 160, 160, 192].map(inceptionC),
  inceptionD,
  inceptionE,
  inceptionE,
];

function build(builder: Builder, run: MemoryRun): Model {
  const { model, task } = run;
  const stem = buildBranch(builder, imagesOf(run), STEM);
  const steps = [...stem.steps];
  let at = stem.to;
  for (const branches of BLOCKS) {
    const block = buildBranches(builder, at, branches);
    steps.push(...block.steps);
    at = block.to;
  }
  const pool = globalPooling(at);
  const rate = task === 'train' ? 0.5 : 0;
  const dropped: Step = (tape, x) => dropout(tape, x, rate);
  const outputs = stated(model, 'num_classes', 0);
  const classes = builder.linear({ name: 'fc', inputs: at.channels, outputs, bias: true });
  return imageClassifier(sequence([...steps, ...pool.steps, dropped, classes]));
}

/** Inception v3 without its auxiliary classifier. */
export const torchvisionInception: Architecture = {
  modelTypes: ['torchvision_inception'],
  source: 'torchvision 0.29.2, models/inception.py (aux_logits=False)',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};
