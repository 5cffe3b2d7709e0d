import type { Builder, Step } from '../../../modules';
import { convolution } from '../../../ops/convolution';
import { interpolate } from '../../../ops/interpolate';
import { relu, sum } from '../../../ops/pointwise';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { elementsOf } from '../layers';
import type { FeatureMaps } from '../layers';
import { buildShared, then } from './maps';
import type { Maps, OnMaps } from './maps';

/** ROIAlign over one level or several: rows of regions as maps of `side`; backwards a gradient as large as each level. */
export function regionsOf(tape: Tape, levels: readonly Maps[], regions: number, side: number): Maps {
  const channels = levels[0]?.at.channels ?? 0;
  const at: FeatureMaps = { batch: regions, channels, height: side, width: side };
  const node = tape.record(...levels.map(({ x }) => x));
  if (node) node.backward = () => levels.map(({ x }) => x.node && tape.like(x));
  const x = tape.empty(elementsOf(at), levels[0]?.x.dtype ?? 'fp32', node);
  // Each level's own are put into the rows of all.
  if (levels.length > 1) tape.spend(tape.like(x));
  return { x, at };
}

/** What is made of regions: a part of the loss. */
export type RegionHead = (tape: Tape, regions: Maps) => Tensor;

/** Two linear layers, classes and boxes (FastRCNNConvFCHead, FastRCNNOutputLayers). */
export function buildBoxHead(
  builder: Builder,
  inputs: number,
  width: number,
  classes: number,
  boxes: number,
): RegionHead {
  const linear = (from: number, to: number): Step =>
    builder.linear({ name: 'box_head', inputs: from, outputs: to, bias: true });
  const [first, second] = [linear(inputs, width), linear(width, width)];
  const predict = buildPredictor(builder, width, classes, boxes);
  return (tape, { x }) =>
    tape.call([x], () => {
      const wide = tape.name(relu(tape, first(tape, x)));
      return predict(tape, tape.name(relu(tape, second(tape, wide))));
    });
}

/** Scores of each class and none, and a box for each or for all. */
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

/** Convolutions over regions, then twice the size, then a map for each class (MaskRCNNConvUpsampleHead). */
export interface MapHeadShape {
  readonly inputs: number;
  readonly width: number;
  readonly convolutions: number;
  readonly outputs: number;
  /** Keypoints: what is doubled has a map for each output, and is doubled once more by interpolation. */
  readonly keypoints: boolean;
}

export function buildMapHead(builder: Builder, shape: MapHeadShape): RegionHead {
  const { inputs, width, convolutions, outputs, keypoints } = shape;
  const looks: OnMaps[] = Array.from({ length: convolutions }, (_, i) =>
    then(buildShared(builder, i === 0 ? inputs : width, { channels: width, size: 3, padding: 1 }), relu),
  );
  const from = convolutions > 0 ? width : inputs;
  const upTo = keypoints ? outputs : width;
  const double = buildDoubling(builder, from, upTo, keypoints ? 4 : 2);
  const predict = keypoints ? null : buildShared(builder, upTo, { channels: outputs, size: 1 });
  return (tape, regions) =>
    tape.call([regions.x], () => {
      let maps = regions;
      for (const look of looks) maps = named(tape, look(tape, maps));
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
