import type { Builder, Step } from '../../../modules';
import { cat, catAll } from '../../../ops/shape';
import { convolution } from '../../../ops/convolution';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildConvolution, elementsOf, sequence } from '../layers';
import type { FeatureMaps } from '../layers';
import { conv, inSequence } from './modules';
import type { Make, Module } from './modules';

/** Bins of the distribution for each side of a box (nn/modules/head.py, Detect.reg_max). */
export const BINS = 16;
const SIDES = 4;

interface DetectShape {
  readonly levels: readonly FeatureMaps[];
  readonly classes: number;
  /** The head before version 11. */
  readonly legacy: boolean;
  /** Numbers next to a box: of a mask, keypoints, or an angle; 0: none. */
  readonly extras: number;
  /** Channels of the mask prototypes' branch; 0: none. */
  readonly protos: number;
}

/** Boxes and classes by level, then the mask prototypes and the numbers next to a box, if any. */
type Detect = (tape: Tape, levels: readonly Tensor[]) => Tensor[];

/** A plain convolution with a bias. */
const last =
  (builder: Builder, channels: number): Make =>
  from => {
    const { steps, to } = buildConvolution(builder, from, { channels, size: 1, bias: true });
    return { run: sequence(steps), to };
  };

/** Two 3 × 3 convolutions and a plain one. */
function branch(builder: Builder, from: FeatureMaps, inner: number, outputs: number): Module {
  const convolve: Make = at => conv(builder, at, { channels: inner, size: 3 });
  return inSequence(from, [convolve, convolve, last(builder, outputs)]);
}

/** The same with each 3 × 3 split into a depthwise and a pointwise convolution. */
function separateBranch(builder: Builder, from: FeatureMaps, inner: number, outputs: number): Module {
  const deep = (at: FeatureMaps): Module =>
    inSequence(at, [
      each => conv(builder, each, { channels: at.channels, size: 3, groups: at.channels }),
      each => conv(builder, each, { channels: inner }),
    ]);
  return inSequence(from, [deep, deep, last(builder, outputs)]);
}

/** Proto: maps of twice the size whose weighted sums are masks. */
function buildProtos(builder: Builder, from: FeatureMaps, inner: number): Step {
  const first = conv(builder, from, { channels: inner, size: 3 });
  const kernel = { weight: builder.kernel([inner, inner, 2, 2]), bias: builder.vector(inner) };
  const doubled = { ...first.to, height: 2 * first.to.height, width: 2 * first.to.width };
  const second = conv(builder, doubled, { channels: inner, size: 3 });
  const third = conv(builder, second.to, { channels: MASKS });
  const elements = elementsOf(doubled);
  return sequence([first.run, (tape, x) => convolution(tape, x, kernel, elements), second.run, third.run]);
}

/** Prototypes per mask (Segment.nm). */
export const MASKS = 32;

/** Detect, and Segment, Pose and OBB, which call it after their own branches. */
export function buildDetect(builder: Builder, shape: DetectShape): Detect {
  const { levels, classes, legacy, extras, protos } = shape;
  const lowest = levels[0]?.channels ?? 0;
  const boxed = Math.max(16, Math.floor(lowest / 4), BINS * SIDES);
  const classed = Math.max(lowest, Math.min(classes, 100));
  const boxes = levels.map(at => branch(builder, at, boxed, BINS * SIDES));
  const make = legacy ? branch : separateBranch;
  const kinds = levels.map(at => make(builder, at, classed, classes));
  builder.frozen(() => builder.kernel([1, BINS, 1, 1]));
  const made = protos > 0 && levels[0] ? buildProtos(builder, levels[0], protos) : null;
  const inner = Math.max(Math.floor(lowest / 4), extras);
  const others = extras > 0 ? levels.map(at => branch(builder, at, inner, extras)) : [];
  const none = (tape: Tape): Tensor => tape.empty(0, 'fp32');
  return (tape, maps) => {
    const [first] = maps;
    const parts = made && first ? [tape.name(made(tape, first))] : [];
    const rows = others.map(({ run }, i) => run(tape, maps[i] ?? none(tape)));
    const more = rows.length > 0 ? [tape.name(catAll(tape, rows))] : [];
    const found = maps.map((x, i) => {
      const [box, kind] = [boxes[i], kinds[i]];
      return box && kind ? tape.name(cat(tape, box.run(tape, x), kind.run(tape, x))) : x;
    });
    return [...found, ...parts, ...more];
  };
}
