import type { Architecture, Model } from '../architecture';
import {
  batchNormed,
  buildConvolution,
  buildNormedConvolution,
  globalPooling,
  imageClassifier,
  imagesOf,
  maxPooling,
  sequence,
} from '../blocks/images/layers';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { rows, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { addInPlace, reluInPlace } from '../ops/inPlace';
import { relu } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** SeparableConv2d and its norm: a depthwise and a pointwise convolution. */
function buildSeparable(builder: Builder, from: FeatureMaps, channels: number): Layers {
  const shape = { channels: from.channels, size: 3, padding: 1, groups: from.channels };
  const deep = buildConvolution(builder, from, shape);
  const wide = buildConvolution(builder, deep.to, { channels, size: 1 });
  const both = sequence([...deep.steps, ...wide.steps]);
  return { to: wide.to, steps: [both, batchNormed(builder, wide.to)] };
}

interface BlockShape {
  readonly channels: number;
  readonly repeats: number;
  readonly stride: number;
  readonly startsWithRelu: boolean;
  /** The first separable convolution widens instead of the last. */
  readonly growsFirst: boolean;
}

/** Block: separable convolutions, with strided downsampling, and a residual connection. */
function buildBlock(builder: Builder, from: FeatureMaps, shape: BlockShape): Layers {
  const { channels, repeats, stride, startsWithRelu, growsFirst } = shape;
  const joined = stride === 1 && channels === from.channels;
  const skip = joined
    ? null
    : sequence(buildNormedConvolution(builder, from, { channels, size: 1, stride }, null).steps);
  const steps: Step[] = [];
  let at = from;
  for (let i = 0; i < repeats; i++) {
    const to = growsFirst || i === repeats - 1 ? channels : from.channels;
    if (i > 0 || startsWithRelu) steps.push(i === 0 ? relu : reluInPlace);
    const made = buildSeparable(builder, at, to);
    steps.push(...made.steps);
    at = made.to;
  }
  if (stride > 1) {
    const pool = maxPooling(at, { size: 3, stride, padding: 1 });
    steps.push(...pool.steps);
    at = pool.to;
  }
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const out = tape.name(sequence(steps)(tape, x));
      const added = skip ? tape.name(skip(tape, x)) : x;
      return addInPlace(tape, out, added);
    });
  return { to: at, steps: [step] };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const first = buildNormedConvolution(
    builder,
    imagesOf(run),
    { channels: 32, size: 3, stride: 2 },
    reluInPlace,
  );
  const second = buildNormedConvolution(builder, first.to, { channels: 64, size: 3 }, reluInPlace);
  const steps = [...first.steps, ...second.steps];
  let at = second.to;
  for (const [channels = 0, repeats = 0, stride = 1, starts = 1, grows = 1, times = 1] of rows(
    model,
    'blocks',
  )) {
    const shape = { channels, repeats, stride, startsWithRelu: starts === 1, growsFirst: grows === 1 };
    for (let i = 0; i < times; i++) {
      const block = buildBlock(builder, at, shape);
      steps.push(...block.steps);
      at = block.to;
    }
  }
  for (const channels of [1536, 2048]) {
    const made = buildSeparable(builder, at, channels);
    steps.push(...made.steps, reluInPlace);
    at = made.to;
  }
  const pool = globalPooling(at);
  const outputs = stated(model, 'num_classes', 0);
  const classes = builder.linear({ name: 'fc', inputs: at.channels, outputs, bias: true });
  return imageClassifier(sequence([...steps, ...pool.steps, classes]));
}

export const timmXception: Architecture = {
  modelTypes: ['timm_xception'],
  source: 'timm 1.0.31, timm/models/xception.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};
