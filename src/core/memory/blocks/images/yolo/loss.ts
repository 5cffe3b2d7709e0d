import { binaryCrossEntropy } from '../../../ops/loss';
import { batchedMatmul, softmax } from '../../../ops/attention';
import { to } from '../../../ops/cast';
import { add, sum } from '../../../ops/pointwise';
import { catAll, copy, split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { widen } from '../../../transforms/autocast';
import type { FeatureMaps } from '../layers';
import { BINS, MASKS } from './detect';

const SIDES = 4;

/** Adds or subtracts each half of a row from its position. */
function decoded(tape: Tape, distances: Tensor, rows: number): Tensor {
  return tape.call([distances], () => {
    const weights = softmax(tape, tape.view(distances, distances.elements, distances.node));
    const bins = tape.empty(BINS, distances.dtype);
    const plain = (tensor: Tensor) => ({ tensor, permuted: false });
    const distance = tape.name(batchedMatmul(tape, plain(weights), plain(bins), rows * SIDES));
    const half = distance.elements / 2;
    const [lt, rb] = split(tape, tape.view(distance, distance.elements, distance.node), [half, half]);
    const places = tape.name(tape.empty(half, distance.dtype));
    const corners = [lt, rb].flatMap(part => (part ? [tape.name(add(tape, tape.name(part), places))] : []));
    return catAll(tape, corners);
  });
}

/**
 * TaskAlignedAssigner without the pairs of objects and positions: scores of every position, and of its assignment
 * as integers, masked, and scaled by the alignment.
 */
function assigned(tape: Tape, scores: Tensor): Tensor {
  return tape.call([], () => {
    tape.name(tape.like(scores));
    const wanted = tape.name(tape.empty(scores.elements, 'int64'));
    const masks = tape.name(tape.empty(scores.elements, 'fp32'));
    const chosen = tape.rename(wanted, tape.done(tape.empty(scores.elements, 'int64'), masks));
    return tape.done(tape.empty(scores.elements, 'fp32'), chosen);
  });
}

/** Default number of objects per image (COCO train2017: 860,001 in 118,287 images), and of positions per object. */
const OBJECTS = 7;
const PLACES = 10;

/**
 * v8SegmentationLoss: for each position of an object a mask as the sum of the image's prototypes, its target, and
 * the object's box: all are kept, image by image.
 */
function maskLoss(tape: Tape, protos: Tensor, coefficients: Tensor, batch: number): Tensor {
  const elements = (OBJECTS * PLACES * protos.elements) / MASKS;
  const image = elements / batch;
  return tape.call([protos, coefficients], () => {
    const node = tape.record(protos, coefficients);
    const kept = [tape.empty(elements, 'fp32'), tape.empty(elements, 'fp32'), tape.empty(elements, 'bool')];
    tape.spend(tape.empty(image, protos.dtype));
    if (node) {
      for (const each of kept) node.save(each);
      node.backward = () => {
        const ofMasks = tape.empty(image, 'fp32');
        return [tape.done(tape.like(protos), ofMasks), tape.like(coefficients)];
      };
    }
    for (const each of kept) tape.spend(each);
    return tape.empty(1, 'fp32', node);
  });
}

interface LossShape {
  readonly levels: readonly FeatureMaps[];
  readonly classes: number;
  readonly protos: number;
  readonly batch: number;
}

/**
 * v8DetectionLoss (utils/loss.py) over boxes and classes of all levels: decodes distances, assigns positions, and
 * computes the binary cross entropy of all classes. Excludes memory per object, except for masks.
 */
export function detectionLoss(
  tape: Tape,
  found: readonly Tensor[],
  { levels, classes, protos, batch }: LossShape,
): Tensor {
  return tape.call(found, () => {
    const boxed = found.slice(0, levels.length);
    const all = catAll(
      tape,
      boxed.map(level => tape.view(level, level.elements, level.node)),
    );
    const rows = all.elements / (SIDES * BINS + classes);
    const parts = split(tape, all, [rows * SIDES * BINS, rows * classes]).map(part => tape.name(part));
    const [distances, scores] = parts.map(part => tape.name(copy(tape, part)));
    for (const part of parts) tape.drop(part);
    if (!distances || !scores) return tape.empty(1, 'fp32');
    const boxes = tape.name(decoded(tape, distances, rows));
    const targets = tape.name(assigned(tape, scores));
    const narrow = to(tape, targets, scores.dtype);
    const losses = [
      sum(tape, binaryCrossEntropy(tape, widen(tape, scores), widen(tape, narrow))),
      sum(tape, boxes),
    ];
    const [first, second] = found.slice(levels.length);
    if (first && second && protos > 0) losses.push(maskLoss(tape, first, second, batch));
    else if (first) losses.push(sum(tape, first));
    return losses.reduce((total, loss) => add(tape, total, loss));
  });
}
