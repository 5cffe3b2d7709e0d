import type { Builder, Step } from '../../modules';
import { activation } from '../../ops/pointwise';
import { cat, resized } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { buildConvolution, elementsOf } from '../images/layers';
import type { FeatureMaps, Layers } from '../images/layers';
import { buildGroupNorm } from './layers';
import { buildResnet } from './resnet';
import type { TimedStep } from './resnet';
import { checkpoint } from '../../transforms/checkpoint';
import { buildTransformer } from './transformer';
import type { Conditions, ConditionedStep } from './transformer';

/** Sizes of a UNet2DConditionModel. */
export interface UnetShape {
  /** Channels per level. */
  readonly widths: readonly number[];
  readonly layers: number;
  /** Transformer blocks per layer, by level; 0: no attention. */
  readonly depths: readonly number[];
  readonly middleDepth: number;
  readonly heads: (channels: number) => number;
  readonly textSize: number;
  /** Linear layers around a transformer instead of 1 × 1 convolutions (use_linear_projection). */
  readonly linear: boolean;
  readonly timeSize: number;
  /** Channels of the input and output latents. */
  readonly channels: number;
}

interface Part {
  readonly resnet: TimedStep;
  readonly transformer: ConditionedStep | null;
}

interface Level {
  readonly parts: readonly Part[];
  /** Halves or doubles each side; null at the last level. */
  readonly resize: Step | null;
}

/** The inputs of a forward pass in addition to the latents. */
interface Context extends Conditions {
  readonly time: Tensor;
}

function buildPart(builder: Builder, from: FeatureMaps, channels: number, depth: number, shape: UnetShape) {
  const { step, to } = buildResnet(builder, from, channels, shape.timeSize);
  const attention = { depth, heads: shape.heads(channels), textSize: shape.textSize, linear: shape.linear };
  const transformer = depth > 0 ? buildTransformer(builder, to, attention) : null;
  return { part: { resnet: step, transformer }, to };
}

function halving(builder: Builder, from: FeatureMaps): Layers {
  return buildConvolution(builder, from, {
    channels: from.channels,
    size: 3,
    stride: 2,
    padding: 1,
    bias: true,
  });
}

/** Nearest-neighbor upsampling, then a convolution. */
function doubling(builder: Builder, from: FeatureMaps): Layers {
  const large = { ...from, height: 2 * from.height, width: 2 * from.width };
  const { steps, to } = buildConvolution(builder, large, {
    channels: from.channels,
    size: 3,
    padding: 1,
    bias: true,
  });
  const [convolve] = steps;
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const grown = tape.name(resized(tape, x, elementsOf(large)));
      return convolve ? convolve(tape, grown) : grown;
    });
  return { steps: [step], to };
}

function runPart(tape: Tape, x: Tensor, { resnet, transformer }: Part, context: Context): Tensor {
  const { time, checkpoints } = context;
  const body = (states: Tensor): Tensor => resnet(tape, states, time);
  const kind = checkpoints ? 'non-reentrant' : 'none';
  // Transformer blocks are checkpointed separately.
  const made = checkpoint(tape, x, { kind, captured: [time], body });
  const states = tape.rename(x, made);
  return transformer ? tape.rename(states, transformer(tape, states, context)) : states;
}

/** The downward path: levels, and each layer's maps for the upward path. */
function buildDown(builder: Builder, start: FeatureMaps, shape: UnetShape) {
  const left: FeatureMaps[] = [start];
  let maps = start;
  const levels = shape.widths.map((channels, i): Level => {
    const parts = Array.from({ length: shape.layers }, () => {
      const made = buildPart(builder, maps, channels, shape.depths[i] ?? 0, shape);
      maps = made.to;
      left.push(maps);
      return made.part;
    });
    if (i === shape.widths.length - 1) return { parts, resize: null };
    const { steps, to } = halving(builder, maps);
    maps = to;
    left.push(maps);
    return { parts, resize: steps[0] ?? null };
  });
  return { levels, left, maps };
}

function buildUp(builder: Builder, from: FeatureMaps, left: readonly FeatureMaps[], shape: UnetShape) {
  const rest = [...left];
  let maps = from;
  const levels = shape.widths.toReversed().map((channels, i): Level => {
    const depth = shape.depths.toReversed()[i] ?? 0;
    const parts = Array.from({ length: shape.layers + 1 }, () => {
      const joined = { ...maps, channels: maps.channels + (rest.pop()?.channels ?? 0) };
      const made = buildPart(builder, joined, channels, depth, shape);
      maps = made.to;
      return made.part;
    });
    if (i === shape.widths.length - 1) return { parts, resize: null };
    const { steps, to } = doubling(builder, maps);
    maps = to;
    return { parts, resize: steps[0] ?? null };
  });
  return { levels, maps };
}

/** UNet2DConditionModel.forward (diffusers unet_2d_condition.py), after the time step's embedding. */
export function buildUnet(builder: Builder, latents: FeatureMaps, shape: UnetShape) {
  const outer = { size: 3, padding: 1, bias: true };
  const first = buildConvolution(builder, latents, { ...outer, channels: shape.widths[0] ?? 0 });
  const down = buildDown(builder, first.to, shape);
  const inner = down.maps.channels;
  const up = buildUp(builder, down.maps, down.left, shape);
  const middle = [
    buildPart(builder, down.maps, inner, shape.middleDepth, shape).part,
    buildPart(builder, down.maps, inner, 0, shape).part,
  ];
  const norm = buildGroupNorm(builder, up.maps);
  const last = buildConvolution(builder, up.maps, { ...outer, channels: shape.channels });
  return (tape: Tape, x: Tensor, context: Context): Tensor =>
    tape.call([x, context.text, context.time], () => {
      const [start] = first.steps;
      let sample = tape.name(start ? start(tape, x) : x);
      const skips = [tape.name(sample)];
      for (const level of down.levels) sample = downLevel(tape, sample, level, skips, context);
      sample = runParts(tape, sample, middle, context);
      let held: readonly Tensor[] = [];
      for (const level of up.levels) {
        for (const skip of held) tape.drop(skip);
        held = skips.splice(-level.parts.length);
        sample = upLevel(tape, sample, level, held, context);
      }
      return tape.through(
        sample,
        [norm, activation, ...last.steps].map(step => each => step(tape, each)),
      );
    });
}

/** Runs a block's function on `sample`, which stays named until the block returns. */
function runParts(tape: Tape, sample: Tensor, parts: readonly Part[], context: Context): Tensor {
  const result = tape.call([sample], () =>
    parts.reduce((states, part) => runPart(tape, states, part, context), tape.name(sample)),
  );
  return tape.rename(sample, result);
}

function downLevel(tape: Tape, sample: Tensor, level: Level, skips: Tensor[], context: Context): Tensor {
  const left = tape.call([sample], () => {
    const outputs: Tensor[] = [];
    let states = tape.name(sample);
    for (const part of level.parts) {
      states = runPart(tape, states, part, context);
      outputs.push(tape.name(states));
    }
    if (level.resize) outputs.push(tape.name(level.resize(tape, states)));
    return outputs;
  });
  for (const tensor of left) skips.push(tape.name(tensor));
  return tape.rename(sample, left.at(-1) ?? sample);
}

function upLevel(
  tape: Tape,
  sample: Tensor,
  level: Level,
  held: readonly Tensor[],
  context: Context,
): Tensor {
  const result = tape.call([sample], () => {
    const rest = [...held];
    let states = tape.name(sample);
    for (const part of level.parts) {
      const skip = rest.pop();
      if (skip) states = tape.rename(states, cat(tape, states, skip));
      states = runPart(tape, states, part, context);
    }
    return level.resize ? level.resize(tape, states) : states;
  });
  return tape.rename(sample, result);
}
