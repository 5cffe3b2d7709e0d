import type { Builder } from '../../../modules';
import { interpolate, maxPool } from '../../../ops/pooling';
import { add } from '../../../ops/pointwise';
import { elementsOf, windowed } from '../layers';
import type { BuildNorm, FeatureMaps } from '../layers';
import type { Tape } from '../../../tape';
import { buildShared, followedBy } from './maps';
import type { Maps, OnMaps } from './maps';

/** How levels above the highest stage are created. */
type Top = 'pool' | 'convolutions';

interface PyramidShape {
  readonly channels: number;
  readonly top: Top;
  readonly norm: BuildNorm | null;
}

/** FPN: a level per stage, lowest first, and those above. */
type Pyramid = (tape: Tape, features: readonly Maps[]) => readonly Maps[];

/** FPN (detectron2 modeling/backbone/fpn.py): each level is the upsampled level above plus its stage's maps. */
export function buildPyramid(
  builder: Builder,
  stages: readonly FeatureMaps[],
  { channels, top, norm }: PyramidShape,
): Pyramid {
  const normed = (layer: OnMaps, at: FeatureMaps): OnMaps =>
    norm ? followedBy(layer, norm(builder, { ...at, channels })) : layer;
  const bias = norm === null;
  const levels = stages.map(at => ({
    lateral: normed(buildShared(builder, at.channels, { channels, size: 1, bias }), at),
    output: normed(buildShared(builder, channels, { channels, size: 3, padding: 1, bias }), at),
  }));
  const above = buildTop(builder, stages.at(-1)?.channels ?? channels, channels, top);
  return (tape, features) => {
    const made: Maps[] = [];
    let upper: Maps | null = null;
    for (const [i, feature] of [...features.entries()].toReversed()) {
      const level = levels[i];
      if (!level) continue;
      const { x: own, at } = level.lateral(tape, feature);
      const x: Maps['x'] = upper ? add(tape, own, interpolate(tape, upper.x, elementsOf(at))) : own;
      upper = { x: tape.name(x), at };
      const { x: output } = level.output(tape, upper);
      made.unshift({ x: tape.name(output), at });
    }
    return [...made, ...above(tape, made, features)];
  };
}

type Above = (tape: Tape, levels: readonly Maps[], features: readonly Maps[]) => readonly Maps[];

/** LastLevelMaxPool, or LastLevelP6P7: two convolutions over the last stage. */
function buildTop(builder: Builder, inputs: number, channels: number, top: Top): Above {
  if (top === 'pool') {
    return (tape, levels) =>
      levels.slice(-1).map(({ x, at }) => {
        const to = windowed(at, { size: 1, stride: 2 });
        return { x: tape.name(maxPool(tape, x, elementsOf(to))), at: to };
      });
  }
  const half = { channels, size: 3, stride: 2, padding: 1 };
  const [first, second] = [buildShared(builder, inputs, half), buildShared(builder, channels, half)];
  return (tape, _, features) =>
    features.slice(-1).flatMap(feature => {
      const named = (maps: Maps): Maps => ({ ...maps, x: tape.name(maps.x) });
      const sixth = named(first(tape, feature));
      return [sixth, named(second(tape, sixth))];
    });
}
