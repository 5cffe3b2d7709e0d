import type { Builder, Step } from '../../../modules';
import { activationInPlace } from '../../../ops/inPlace';
import { add } from '../../../ops/pointwise';
import { maxPool } from '../../../ops/pooling';
import { catAll, split } from '../../../ops/shape';
import type { Tensor } from '../../../tensor';
import { buildNormedConvolution, elementsOf, padded, sequence } from '../layers';
import type { ConvolutionShape, FeatureMaps } from '../layers';

/** A module of a YOLO, and what it gives. */
export interface Module {
  readonly run: Step;
  readonly to: FeatureMaps;
}

/** What makes a module over these maps. */
export type Make = (from: FeatureMaps) => Module;

interface ConvShape extends Pick<ConvolutionShape, 'channels' | 'stride' | 'groups' | 'padding'> {
  readonly size?: number;
  /** SiLU, over its input, follows; it does where nothing is said. */
  readonly acts?: boolean;
}

/** Conv (nn/modules/conv.py): convolution, BatchNorm, SiLU in place (utils/torch_utils.py, initialize_weights). */
export function conv(builder: Builder, from: FeatureMaps, shape: ConvShape): Module {
  const { size = 1, acts = true, padding = padded(size), ...rest } = shape;
  const window = { ...rest, size, padding };
  const { steps, to } = buildNormedConvolution(builder, from, window, acts ? activationInPlace : null);
  return { run: sequence(steps), to };
}

/** Modules one after the other (nn.Sequential). */
export function inTurn(from: FeatureMaps, makes: readonly Make[]): Module {
  let to = from;
  const steps = makes.map(make => {
    const made = make(to);
    to = made.to;
    return made.run;
  });
  return { run: sequence(steps), to };
}

interface BottleneckShape {
  readonly channels: number;
  readonly kernels: readonly [number, number];
  /** Inner channels as a share of the outer ones. */
  readonly share: number;
  readonly shortcut: boolean;
}

/** Bottleneck: two convolutions, and the input added to what they give. */
export function bottleneck(builder: Builder, from: FeatureMaps, shape: BottleneckShape): Module {
  const { channels, kernels, share, shortcut } = shape;
  const inner = conv(builder, from, { channels: Math.floor(channels * share), size: kernels[0] });
  const outer = conv(builder, inner.to, { channels, size: kernels[1] });
  const adds = shortcut && from.channels === channels;
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const made = outer.run(tape, inner.run(tape, x));
      return adds ? add(tape, x, made) : made;
    });
  return { run, to: outer.to };
}

/** Convolutions on either side, of which one goes through `repeats` bottlenecks (C3, C3k). */
export function c3(
  builder: Builder,
  from: FeatureMaps,
  shape: Omit<BottleneckShape, 'share'> & { readonly repeats: number },
): Module {
  const { channels, repeats, kernels, shortcut } = shape;
  const inner = Math.floor(channels / 2);
  const first = conv(builder, from, { channels: inner });
  const second = conv(builder, from, { channels: inner });
  const last = conv(builder, { ...from, channels: 2 * inner }, { channels });
  const parts = Array.from(
    { length: repeats },
    () => (at: FeatureMaps) => bottleneck(builder, at, { channels: inner, kernels, shortcut, share: 1 }),
  );
  const deep = inTurn(first.to, parts);
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const both = [deep.run(tape, first.run(tape, x)), second.run(tape, x)];
      return last.run(tape, catAll(tape, both));
    });
  return { run, to: last.to };
}

/** One convolution in two halves, of which the second goes on through modules whose results all stay (C2f, C3k2). */
export function c2f(
  builder: Builder,
  from: FeatureMaps,
  { channels, inner, repeats, part }: SplitShape,
): Module {
  const first = conv(builder, from, { channels: 2 * inner });
  const whole = { ...first.to, channels: (2 + repeats) * inner };
  const last = conv(builder, whole, { channels });
  const half = { ...first.to, channels: inner };
  const parts = Array.from({ length: repeats }, () => part(half));
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const size = elementsOf(half);
      const y: Tensor[] = split(tape, first.run(tape, x), [size, size]).map(each => tape.name(each));
      for (const each of parts) {
        const before = y.at(-1);
        if (before) y.push(tape.name(each.run(tape, before)));
      }
      return last.run(tape, catAll(tape, y));
    });
  return { run, to: last.to };
}

interface SplitShape {
  readonly channels: number;
  readonly inner: number;
  readonly repeats: number;
  readonly part: Make;
}

/** Times that SPPF pools. */
const POOLED = 3;

/** SPPF: pooled maps in addition to those that they are made of. */
export function sppf(builder: Builder, from: FeatureMaps, channels: number): Module {
  const inner = Math.floor(from.channels / 2);
  const first = conv(builder, from, { channels: inner });
  const last = conv(builder, { ...first.to, channels: (1 + POOLED) * inner }, { channels });
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const y = [tape.name(first.run(tape, x))];
      for (let i = 0; i < POOLED; i++) {
        const before = y.at(-1);
        if (before) y.push(tape.name(maxPool(tape, before, before.elements)));
      }
      return last.run(tape, catAll(tape, y));
    });
  return { run, to: last.to };
}
