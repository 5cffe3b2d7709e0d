import type { Builder, Step } from '../../../modules';
import { convolution } from '../../../ops/convolution';
import { interpolate } from '../../../ops/pooling';
import { relu, sum } from '../../../ops/pointwise';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { elementsOf } from '../layers';
import type { BuildNorm, FeatureMaps } from '../layers';
import { buildShared, followedBy } from './maps';
import type { Maps, OnMaps } from './maps';

/**
 * ROIAlign over one or several levels: rows of regions as maps of `side`; in backward a full gradient of each
 * level.
 */
export function regionsOf(tape: Tape, levels: readonly Maps[], regions: number, side: number): Maps {
  const channels = levels[0]?.at.channels ?? 0;
  const at: FeatureMaps = { batch: regions, channels, height: side, width: side };
  const node = tape.record(...levels.map(({ x }) => x));
  if (node) node.backward = () => levels.map(({ x }) => x.node && tape.like(x));
  const x = tape.empty(elementsOf(at), levels[0]?.x.dtype ?? 'fp32', node);
  // Scatters each level's regions into the rows of all.
  if (levels.length > 1) tape.spend(tape.like(x));
  return { x, at };
}

/** A head over regions: returns a part of the loss. */
export type RegionHead = (tape: Tape, regions: Maps) => Tensor;

/** The layers of the box head. */
interface BoxHeadShape {
  readonly regions: FeatureMaps;
  readonly width: number;
  readonly classes: number;
  readonly boxes: number;
  /** Convolutions with norms and one linear layer, instead of two linear layers. */
  readonly norm: BuildNorm | null;
}

const BOX_CONVOLUTIONS = 4;

/**
 * Linear layers, optionally after convolutions, then classes and boxes (FastRCNNConvFCHead, FastRCNNOutputLayers).
 */
export function buildBoxHead(
  builder: Builder,
  { regions, width, classes, boxes, norm }: BoxHeadShape,
): RegionHead {
  const { channels, height, width: across } = regions;
  const linear = (from: number, to: number): Step =>
    builder.linear({ name: 'box_head', inputs: from, outputs: to, bias: true });
  const looks = buildLooks(
    builder,
    { inputs: channels, at: regions, width: channels, norm },
    norm ? BOX_CONVOLUTIONS : 0,
  );
  const first = linear(channels * height * across, width);
  const layers = norm ? [first] : [first, linear(width, width)];
  const predict = buildPredictor(builder, width, classes, boxes);
  return (tape, maps) =>
    tape.call([maps.x], () => {
      let { x } = looks.reduce((seen, convolve) => named(tape, convolve(tape, seen)), maps);
      for (const layer of layers) x = tape.name(relu(tape, layer(tape, x)));
      return predict(tape, x);
    });
}

interface Looks {
  readonly inputs: number;
  readonly at: FeatureMaps;
  readonly width: number;
  readonly norm: BuildNorm | null;
}

/** Convolutions in sequence, each with relu and, optionally, a norm. */
function buildLooks(builder: Builder, { inputs, at, width, norm }: Looks, count: number): readonly OnMaps[] {
  return Array.from({ length: count }, (_, i) => {
    const shape = { channels: width, size: 3, padding: 1, bias: norm === null };
    const convolve = buildShared(builder, i === 0 ? inputs : width, shape);
    const normed = norm ? followedBy(convolve, norm(builder, { ...at, channels: width })) : convolve;
    return followedBy(normed, relu);
  });
}

/** Scores of each class and the background, and a box per class or for all. */
export function buildPredictor(
  builder: Builder,
  inputs: number,
  classes: number,
  boxes: number,
): (tape: Tape, x: Tensor) => Tensor {
  const scores = builder.linear({ name: 'cls_score', inputs, outputs: classes + 1, bias: true });
  const places = builder.linear({ name: 'bbox_pred', inputs, outputs: 4 * boxes, bias: true });
  return (tape, x) => {
    const loss = sum(tape, scores(tape, x));
    return tape.done(loss, sum(tape, places(tape, x)));
  };
}

/** Convolutions over regions, upsampling, then a map per class (MaskRCNNConvUpsampleHead). */
interface MapHeadShape {
  readonly inputs: number;
  readonly width: number;
  readonly convolutions: number;
  readonly outputs: number;
  /** Keypoints: the upsampled maps have one channel per output, and are upsampled again by interpolation. */
  readonly keypoints: boolean;
  /** The norm of the convolutions; null: none. */
  readonly norm: BuildNorm | null;
  /** Number of regions. */
  readonly count: number;
}

/** The side of a region's maps for masks and keypoints (detectron2 config/defaults.py, POOLER_RESOLUTION). */
export const MAP_SIDE = 14;

export function buildMapHead(builder: Builder, shape: MapHeadShape): RegionHead {
  const { inputs, width, convolutions, outputs, keypoints, norm, count } = shape;
  const at = { batch: count, channels: inputs, height: MAP_SIDE, width: MAP_SIDE };
  const looks = buildLooks(builder, { inputs, at, width, norm }, convolutions);
  const from = convolutions > 0 ? width : inputs;
  const upTo = keypoints ? outputs : width;
  const double = buildDoubling(builder, from, upTo, keypoints ? 4 : 2);
  const predict = keypoints ? null : buildShared(builder, upTo, { channels: outputs, size: 1 });
  return (tape, regions) =>
    tape.call([regions.x], () => {
      let maps = regions;
      for (const convolve of looks) maps = named(tape, convolve(tape, maps));
      const doubled = double(tape, maps);
      if (!predict) return sum(tape, interpolate(tape, doubled.x, 4 * elementsOf(doubled.at)));
      const active = { at: doubled.at, x: tape.name(relu(tape, doubled.x)) };
      return sum(tape, predict(tape, active).x);
    });
}

const named = (tape: Tape, { x, at }: Maps): Maps => ({ x: tape.name(x), at });

/** torch.nn.ConvTranspose2d with a stride of 2. */
function buildDoubling(builder: Builder, inputs: number, channels: number, size: number): OnMaps {
  const kernel = { weight: builder.kernel([inputs, channels, size, size]), bias: builder.vector(channels) };
  return (tape, { x, at }) => {
    const to = { ...at, channels, height: 2 * at.height, width: 2 * at.width };
    return { x: convolution(tape, x, kernel, elementsOf(to)), at: to };
  };
}
