import type { Builder } from '../../../modules';
import { interpolate } from '../../../ops/pooling';
import { add, mul, relu, scale, sigmoid, square, sum } from '../../../ops/pointwise';
import { binaryCrossEntropy, logSoftmax, nllLoss } from '../../../ops/loss';
import { catAll, pick, reordered } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { elementsOf } from '../layers';
import type { BuildNorm, FeatureMaps } from '../layers';
import { buildShared, followedBy } from './maps';
import type { Maps, OnMaps } from './maps';
import type { LevelHead } from './proposals';

/**
 * RetinaNetHead: four convolutions for classes and four for boxes on each level (detectron2
 * meta_arch/retinanet.py).
 */
export function buildDenseHead(
  builder: Builder,
  channels: number,
  anchors: number,
  classes: number,
): LevelHead {
  const looks = (): readonly OnMaps[] =>
    Array.from({ length: 4 }, () =>
      followedBy(buildShared(builder, channels, { channels, size: 3, padding: 1 }), relu),
    );
  const [forClasses, forBoxes] = [looks(), looks()];
  const last = { size: 3, padding: 1 };
  const scores = buildShared(builder, channels, { ...last, channels: anchors * classes });
  const places = buildShared(builder, channels, { ...last, channels: anchors * 4 });
  const through = (tape: Tape, level: Maps, layers: readonly OnMaps[]): Maps => {
    let maps = level;
    for (const layer of layers) {
      const made = layer(tape, maps);
      maps = { ...made, x: tape.name(made.x) };
    }
    return maps;
  };
  return (tape, levels) =>
    tape.call([], () => {
      const logits: Tensor[] = [];
      const boxes: Tensor[] = [];
      for (const level of levels) {
        logits.push(tape.name(scores(tape, through(tape, level, forClasses)).x));
        boxes.push(tape.name(places(tape, through(tape, level, forBoxes)).x));
      }
      const inOrder = (parts: readonly Tensor[]): Tensor =>
        tape.name(
          catAll(
            tape,
            parts.map(part => tape.name(reordered(tape, part))),
          ),
        );
      return [focalLoss(tape, inOrder(logits)), sum(tape, inOrder(boxes))];
    });
}

/**
 * RetinaNet.losses: targets of every class for every anchor, and the valid ones selected from both
 * (meta_arch/retinanet.py, fvcore's sigmoid_focal_loss). The result of each line lives to the end.
 */
function focalLoss(tape: Tape, predicted: Tensor): Tensor {
  return tape.call([predicted], () => {
    const wanted = tape.name(tape.empty(predicted.elements, predicted.dtype));
    const x = pick(tape, predicted, null, predicted.elements);
    const targets = pick(tape, wanted, null, wanted.elements);
    return tape.call([x, targets], () => focal(tape, x, targets));
  });
}

function focal(tape: Tape, x: Tensor, targets: Tensor): Tensor {
  const plain = (): Tensor => tape.empty(x.elements, x.dtype);
  const p = tape.name(sigmoid(tape, x));
  const entropy = tape.name(binaryCrossEntropy(tape, x, targets));
  const others = mul(tape, scale(tape, p), plain());
  const hit = tape.name(add(tape, mul(tape, p, targets), others));
  const loss = tape.name(mul(tape, entropy, square(tape, scale(tape, hit))));
  const weight = tape.name(plain());
  return sum(tape, tape.rename(loss, mul(tape, weight, loss)));
}

/** SemSegFPNHead: resizes all levels to the lowest, sums them, and classifies each pixel of the image. */
export function buildSemanticHead(
  builder: Builder,
  levels: readonly FeatureMaps[],
  { width, classes, norm }: { readonly width: number; readonly classes: number; readonly norm: BuildNorm },
): (tape: Tape, features: readonly Maps[]) => Tensor {
  const [lowest] = levels;
  const branches = levels.map((level, i) => {
    const steps: OnMaps[] = [];
    let at = level;
    for (let n = 0; n < Math.max(1, i); n++) {
      const convolve = buildShared(builder, at.channels, {
        channels: width,
        size: 3,
        padding: 1,
        bias: false,
      });
      at = { ...at, channels: width };
      const normed = norm(builder, at);
      steps.push(followedBy(convolve, (tape, x) => relu(tape, normed(tape, x))));
      if (i === 0) continue;
      const to = { ...at, height: at.height * 2, width: at.width * 2 };
      steps.push((tape, maps) => ({ x: interpolate(tape, maps.x, elementsOf(to)), at: to }));
      at = to;
    }
    return steps;
  });
  const predict = buildShared(builder, width, { channels: classes, size: 1 });
  return (tape, features) =>
    tape.call([], () => {
      let all: Tensor | null = null;
      for (const [i, steps] of branches.entries()) {
        let maps = features[i];
        if (!maps) continue;
        for (const step of steps) maps = step(tape, maps);
        all = all ? tape.rename(all, add(tape, all, maps.x)) : tape.name(maps.x);
      }
      if (!all || !lowest) return tape.empty(1, 'fp32');
      const at = { ...lowest, channels: width };
      const { x, at: to } = predict(tape, { x: all, at });
      // Levels have a fourth of the image's side.
      const whole = tape.name(interpolate(tape, x, 16 * elementsOf(to)));
      const labels = tape.name(tape.empty(16 * lowest.batch * lowest.height * lowest.width, 'int64'));
      return nllLoss(tape, logSoftmax(tape, whole), labels);
    });
}
