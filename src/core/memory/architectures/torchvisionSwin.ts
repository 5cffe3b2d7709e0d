import type { Architecture, Model } from '../architecture';
import { imageClassifier, imagesOf } from '../blocks/images/classifier';
import { buildConvolution, elementsOf, globalPooling, sequence } from '../blocks/images/layers';
import type { FeatureMaps, Layers } from '../blocks/images/layers';
import { buildStage } from '../blocks/images/stage';
import { buildWindowAttention } from '../blocks/images/windowAttention';
import { buildLayerNorm } from '../blocks/norm';
import { numbers, stated } from '../facts';
import type { Builder, Step } from '../modules';
import { activation, add } from '../ops/pointwise';
import { catAll, resized, slice } from '../ops/shape';
import { stochasticDepth } from '../ops/stochasticDepth';
import type { MemoryRun } from '../run';

interface BlockShape {
  readonly heads: number;
  readonly window: number;
  readonly shifted: boolean;
  readonly drops: boolean;
}

/** SwinTransformerBlock: attention within windows, then an MLP, each over a norm. */
function buildBlock(builder: Builder, from: FeatureMaps, shape: BlockShape): Step {
  const { channels, batch } = from;
  const dropped: Step = (tape, x) => (shape.drops ? stochasticDepth(tape, x, batch) : x);
  const first = buildLayerNorm(builder, channels);
  const attention = buildWindowAttention(builder, from, shape);
  const second = buildLayerNorm(builder, channels);
  const linear = (inputs: number, outputs: number): Step =>
    builder.linear({ name: 'mlp', inputs, outputs, bias: true });
  const mlp = sequence([linear(channels, 4 * channels), activation, linear(4 * channels, channels)]);
  return (tape, x) =>
    tape.call([x], () => {
      const middle = tape.name(add(tape, x, dropped(tape, attention(tape, first(tape, x)))));
      return add(tape, middle, dropped(tape, mlp(tape, second(tape, middle))));
    });
}

/** PatchMerging: four neighbours side by side, made half as many channels. */
function buildMerging(builder: Builder, from: FeatureMaps): Layers {
  const channels = 2 * from.channels;
  const reduction = builder.linear({
    name: 'reduction',
    inputs: 2 * channels,
    outputs: channels,
    bias: false,
  });
  const norm = buildLayerNorm(builder, 2 * channels);
  const to = { ...from, channels, height: Math.ceil(from.height / 2), width: Math.ceil(from.width / 2) };
  const quarter = elementsOf({ ...to, channels: from.channels });
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const merged = tape.call([x], () => {
        const whole = tape.name(resized(tape, x, 4 * quarter));
        const corner = (): ReturnType<Step> =>
          tape.name(slice(tape, slice(tape, whole, 2 * quarter), quarter));
        return catAll(tape, [corner(), corner(), corner(), corner()]);
      });
      const normed = tape.rename(tape.name(merged), norm(tape, merged));
      return reduction(tape, normed);
    });
  return { steps: [step], to };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const window = stated(model, 'window', 1);
  const drops = run.task === 'train' && stated(model, 'stochastic_depth', 0) > 0;
  const stem = { channels: stated(model, 'width', 0), size: 4, stride: 4, bias: true };
  const first = buildConvolution(builder, imagesOf(run), stem);
  const features: Step[] = [sequence([...first.steps, buildLayerNorm(builder, first.to.channels)])];
  const heads = numbers(model, 'heads');
  const depths = numbers(model, 'blocks');
  let maps = first.to;
  depths.forEach((blocks, i) => {
    const shape = { heads: heads[i] ?? 1, window };
    // Every other block moves its windows. The probability of leaving an image out is 0 in the very first block.
    const pair = (isFirst: boolean) => (from: FeatureMaps) => ({
      to: from,
      steps: [
        buildBlock(builder, from, { ...shape, shifted: false, drops: drops && !isFirst }),
        buildBlock(builder, from, { ...shape, shifted: true, drops }),
      ],
    });
    features.push(
      ...buildStage(builder, maps, { blocks: blocks / 2, first: pair(i === 0), other: pair(false) }).steps,
    );
    if (i === depths.length - 1) return;
    const merging = buildMerging(builder, maps);
    features.push(...merging.steps);
    maps = merging.to;
  });
  const norm = buildLayerNorm(builder, maps.channels);
  const pool = globalPooling(maps, true);
  const classes = {
    name: 'head',
    inputs: maps.channels,
    outputs: stated(model, 'num_classes', 0),
    bias: true,
  };
  return imageClassifier(sequence([sequence(features), norm, ...pool.steps, builder.linear(classes)]));
}

export const torchvisionSwin: Architecture = {
  modelTypes: ['torchvision_swin'],
  source: 'torchvision 0.29.2, models/swin_transformer.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  missing: () => [],
  build,
};
