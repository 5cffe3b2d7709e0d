import type { Builder } from '../../../modules';
import { relu, sum } from '../../../ops/pointwise';
import { catAll, reordered } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildShared, followedBy } from './maps';
import type { Maps } from './maps';

/** Numbers per box. */
const SIDES = 4;

/** A head over the levels: returns a part of the loss for each of its outputs. */
export type LevelHead = (tape: Tape, levels: readonly Maps[]) => readonly Tensor[];

/**
 * StandardRPNHead and its losses: whether each anchor contains an object, and where (detectron2
 * proposal_generator/rpn.py).
 */
export function buildProposals(builder: Builder, channels: number, anchors: number): LevelHead {
  const convolve = followedBy(buildShared(builder, channels, { channels, size: 3, padding: 1 }), relu);
  const objectness = buildShared(builder, channels, { channels: anchors, size: 1 });
  const deltas = buildShared(builder, channels, { channels: SIDES * anchors, size: 1 });
  return (tape, levels) =>
    tape.call([], () => {
      const scores: Tensor[] = [];
      const places: Tensor[] = [];
      for (const level of levels) {
        const seen = convolve(tape, level);
        tape.name(seen.x);
        scores.push(tape.name(reordered(tape, objectness(tape, seen).x)));
        places.push(tape.name(reordered(tape, deltas(tape, seen).x)));
      }
      // Decoded boxes of all anchors and their inputs live until proposals are selected.
      const all = tape.name(catAll(tape, scores));
      const boxes = tape.name(catAll(tape, places));
      return [sum(tape, all), sum(tape, boxes)];
    });
}
