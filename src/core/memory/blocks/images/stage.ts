import type { Builder, Step } from '../../modules';
import { sequence } from './layers';
import type { FeatureMaps, Layers } from './layers';

/** Blocks one after the other, of which all but the first are equal. */
export interface StageShape {
  readonly blocks: number;
  readonly first: (from: FeatureMaps) => Layers;
  readonly other: (from: FeatureMaps) => Layers;
}

/** A Sequential of such blocks, walked once for all equal ones. */
export function buildStage(
  builder: Builder,
  from: FeatureMaps,
  { blocks, first, other }: StageShape,
): Layers {
  const head = first(from);
  const others = blocks > 1 ? builder.repeat(blocks - 1, () => sequence(other(head.to).steps)) : [];
  const start = sequence(head.steps);
  const step: Step = (tape, x) =>
    tape.call([x], () =>
      others.reduce(
        (states, { part, times }) => tape.repeat(times, states, [each => part(tape, each)]),
        tape.name(start(tape, x)),
      ),
    );
  return { to: head.to, steps: [step] };
}
