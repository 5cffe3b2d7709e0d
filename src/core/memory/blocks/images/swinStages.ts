import type { Builder, Step } from '../../modules';
import { activation, add, stochasticDepth } from '../../ops/pointwise';
import { catAll, resized, slice } from '../../ops/shape';
import { buildLayerNorm } from '../norm';
import { buildStage, elementsOf, sequence } from './layers';
import type { FeatureMaps, Layers } from './layers';
import { buildWindowAttention } from './windowAttention';

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

/** PatchMerging: concatenates four neighbors, and halves their channels. */
export function buildMerging(builder: Builder, from: FeatureMaps): Layers {
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

interface SwinStage {
  readonly blocks: number;
  readonly heads: number;
  readonly window: number;
  readonly drops: boolean;
  /** The probability of skipping an image is 0 in the first block. */
  readonly isFirst: boolean;
}

/** The blocks of one stage; every other one shifts its windows. */
export function buildSwinStage(builder: Builder, maps: FeatureMaps, stage: SwinStage): Layers {
  const { blocks, drops, isFirst, ...shape } = stage;
  const pair = (spares: boolean) => (from: FeatureMaps) => ({
    to: from,
    steps: [
      buildBlock(builder, from, { ...shape, shifted: false, drops: drops && !spares }),
      buildBlock(builder, from, { ...shape, shifted: true, drops }),
    ],
  });
  return buildStage(builder, maps, { blocks: blocks / 2, first: pair(isFirst), other: pair(false) });
}
