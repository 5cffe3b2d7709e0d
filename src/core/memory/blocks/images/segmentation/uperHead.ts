import type { Builder, Step } from '../../../modules';
import { reluInPlace } from '../../../ops/inPlace';
import { interpolate } from '../../../ops/pooling';
import { logSoftmax, nllLoss } from '../../../ops/loss';
import { add, addInPlace, mul, relu } from '../../../ops/pointwise';
import { catAll } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import {
  adaptivePooling,
  batchNormed,
  buildConvolution,
  buildNormedConvolution,
  elementsOf,
  sequence,
} from '../layers';
import type { ConvolutionShape, FeatureMaps } from '../layers';

/** From the maps of all levels to the loss over all pixels. */
type SegmentationHead = (tape: Tape, levels: readonly Tensor[]) => Tensor;

interface Module {
  readonly run: Step;
  readonly to: FeatureMaps;
}

/** mmcv's ConvModule: convolution, BatchNorm over all ranks, and relu, by default in place. */
function convModule(
  builder: Builder,
  from: FeatureMaps,
  shape: ConvolutionShape,
  act: Step = reluInPlace,
): Module {
  const { steps, to } = buildNormedConvolution(builder, from, shape, act, batchNormed);
  return { run: sequence(steps), to };
}

const near = (channels: number): ConvolutionShape => ({ channels, size: 3, padding: 1 });

/** Sides for pooling the highest level (mmseg uper_head.py, pool_scales). */
const POOLED = [1, 2, 3, 6] as const;

/** PSPModule: the maps plus the whole image at several scales. */
function buildPooling(builder: Builder, from: FeatureMaps, channels: number): Step {
  const scales = POOLED.map(side => {
    const pool = adaptivePooling(from, side);
    return sequence([...pool.steps, convModule(builder, pool.to, { channels, size: 1 }).run]);
  });
  const all = { ...from, channels: from.channels + POOLED.length * channels };
  const bottleneck = convModule(builder, all, near(channels)).run;
  const elements = elementsOf({ ...from, channels });
  return (tape, x) =>
    tape.call([x], () => {
      const seen = scales.map(scale => tape.name(interpolate(tape, scale(tape, x), elements)));
      return bottleneck(tape, tape.name(catAll(tape, [x, ...seen])));
    });
}

/** Channel dropout, a class per pixel, and the loss at the image's size (mmseg decode_head.py). */
function buildClasses(builder: Builder, from: FeatureMaps, images: FeatureMaps, classes: number): Step {
  const predict = sequence(buildConvolution(builder, from, { channels: classes, size: 1, bias: true }).steps);
  const pixels = images.batch * images.height * images.width;
  return (tape, x) =>
    tape.call([], () => {
      const noise = tape.name(tape.empty(from.batch * from.channels, x.dtype));
      const logits = tape.name(predict(tape, tape.name(mul(tape, x, noise))));
      const whole = tape.name(interpolate(tape, logits, pixels * classes));
      return nllLoss(tape, logSoftmax(tape, whole), tape.empty(pixels, 'int64'));
    });
}

interface SegmentationShape {
  readonly levels: readonly FeatureMaps[];
  readonly images: FeatureMaps;
  readonly channels: number;
  readonly classes: number;
}

/**
 * UPerHead (mmseg decode_heads/uper_head.py): a pyramid below pooled maps; all levels are resized to the lowest and
 * concatenated.
 */
export function buildUperHead(builder: Builder, shape: SegmentationShape): SegmentationHead {
  const { levels, images, channels, classes } = shape;
  const [lowest, highest] = [levels[0], levels.at(-1)];
  if (!lowest || !highest) return tape => tape.empty(1, 'fp32');
  const pooling = buildPooling(builder, highest, channels);
  const below = levels.slice(0, -1).map(at => {
    const lateral = convModule(builder, at, { channels, size: 1 }, relu);
    return { lateral, output: convModule(builder, lateral.to, near(channels), relu) };
  });
  const whole = { ...lowest, channels };
  const together = { ...whole, channels: levels.length * channels };
  const bottleneck = convModule(builder, together, near(channels));
  const predict = buildClasses(builder, bottleneck.to, images, classes);
  const elements = elementsOf(whole);
  return (tape, features) =>
    tape.call([], () => {
      const laterals = below.map(({ lateral }, i) =>
        tape.name(lateral.run(tape, features[i] ?? tape.empty(1, 'fp32'))),
      );
      const top = features.at(-1);
      if (top) laterals.push(tape.name(pooling(tape, top)));
      downwards(tape, laterals);
      const outputs = laterals.map((x, i) => {
        const output = below[i]?.output.run;
        const level = output ? tape.name(output(tape, x)) : x;
        return i === 0 ? level : tape.name(interpolate(tape, level, elements));
      });
      const all = tape.name(catAll(tape, outputs));
      return predict(tape, tape.name(bottleneck.run(tape, all)));
    });
}

/** Adds to each level the resized level above it. */
function downwards(tape: Tape, laterals: Tensor[]): void {
  for (let i = laterals.length - 1; i > 0; i--) {
    const [lower, upper] = [laterals[i - 1], laterals[i]];
    if (!lower || !upper) continue;
    laterals[i - 1] = tape.rename(lower, addInPlace(tape, lower, interpolate(tape, upper, lower.elements)));
  }
}

/** FCNHead with one convolution: the auxiliary loss over one level (mmseg decode_heads/fcn_head.py). */
export function buildFcnHead(
  builder: Builder,
  from: FeatureMaps,
  shape: Omit<SegmentationShape, 'levels'>,
): Step {
  const convolve = convModule(builder, from, near(shape.channels));
  const predict = buildClasses(builder, convolve.to, shape.images, shape.classes);
  return (tape, x) => tape.call([x], () => predict(tape, tape.name(convolve.run(tape, x))));
}

/** The sum of losses. */
export const summed = (tape: Tape, losses: readonly Tensor[]): Tensor =>
  losses.reduce((sum, loss) => add(tape, sum, loss));
