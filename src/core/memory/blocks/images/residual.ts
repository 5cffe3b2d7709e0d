import type { Builder, Step } from '../../modules';
import { addInPlace, reluInPlace } from '../../ops/inPlace';
import { buildNormedConvolution, sequence } from './layers';
import type { BuildNorm, FeatureMaps, Layers } from './layers';

/** Differences between the blocks of ResNets. */
export interface ResidualDesign {
  /** Three convolutions, of which the last expands four times; else two. */
  readonly bottleneck: boolean;
  readonly groups: number;
  readonly widthPerGroup: number;
  /** Default: BatchNorm. */
  readonly norm?: BuildNorm;
  /** The first of three convolutions has the stride, not the second (Caffe's and MSRA's weights). */
  readonly strideFirst?: boolean;
}

interface ResidualShape extends ResidualDesign {
  readonly planes: number;
  readonly stride: number;
}

export const expansionOf = ({ bottleneck }: ResidualDesign): number => (bottleneck ? 4 : 1);

/** BasicBlock, Bottleneck (torchvision models/resnet.py): convolutions with a residual connection. */
export function buildResidualBlock(builder: Builder, from: FeatureMaps, shape: ResidualShape): Layers {
  const { steps, to } = shape.bottleneck ? bottleneck(builder, from, shape) : basic(builder, from, shape);
  const shortcut = shortcutOf(builder, from, to, shape);
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const out = tape.name(sequence(steps)(tape, x));
      const identity = shortcut ? tape.name(shortcut(tape, x)) : x;
      const sum = tape.rename(out, addInPlace(tape, out, identity));
      return reluInPlace(tape, sum);
    });
  return { steps: [step], to };
}

function basic(builder: Builder, from: FeatureMaps, { planes, stride, norm }: ResidualShape): Layers {
  const shape = { channels: planes, size: 3, padding: 1 };
  const first = buildNormedConvolution(builder, from, { ...shape, stride }, reluInPlace, norm);
  const second = buildNormedConvolution(builder, first.to, shape, null, norm);
  return { steps: [...first.steps, ...second.steps], to: second.to };
}

function bottleneck(builder: Builder, from: FeatureMaps, shape: ResidualShape): Layers {
  const { planes, stride, groups, widthPerGroup, norm, strideFirst = false } = shape;
  const channels = Math.floor((planes * widthPerGroup) / 64) * groups;
  const outer = planes * expansionOf(shape);
  const [early, late] = strideFirst ? [stride, 1] : [1, stride];
  const narrow = { channels, size: 1, stride: early };
  const first = buildNormedConvolution(builder, from, narrow, reluInPlace, norm);
  const middle = { channels, size: 3, padding: 1, stride: late, groups };
  const second = buildNormedConvolution(builder, first.to, middle, reluInPlace, norm);
  const third = buildNormedConvolution(builder, second.to, { channels: outer, size: 1 }, null, norm);
  return { steps: [...first.steps, ...second.steps, ...third.steps], to: third.to };
}

/** A convolution if the block changes size or channels. */
function shortcutOf(
  builder: Builder,
  from: FeatureMaps,
  to: FeatureMaps,
  { stride, norm }: ResidualShape,
): Step | null {
  if (stride === 1 && from.channels === to.channels) return null;
  const shape = { channels: to.channels, size: 1, stride };
  return sequence(buildNormedConvolution(builder, from, shape, null, norm).steps);
}
