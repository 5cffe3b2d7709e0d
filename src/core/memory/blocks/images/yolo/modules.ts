import type { Builder, Step } from '../../../modules';
import { activationInPlace } from '../../../ops/inPlace';
import { add } from '../../../ops/pointwise';
import { maxPool } from '../../../ops/pooling';
import { catAll, split } from '../../../ops/shape';
import type { Tensor } from '../../../tensor';
import { buildNormedConvolution, elementsOf, padded, sequence } from '../layers';
import type { ConvolutionShape, FeatureMaps } from '../layers';

/** A module of a YOLO, with its output maps. */
export interface Module {
  readonly run: Step;
  readonly to: FeatureMaps;
}

/** Creates a module over the given maps. */
export type Make = (from: FeatureMaps) => Module;

interface ConvShape extends Pick<ConvolutionShape, 'channels' | 'stride' | 'groups' | 'padding'> {
  readonly size?: number;
  /** Followed by SiLU in place; default: true. */
  readonly acts?: boolean;
}

/** Conv (nn/modules/conv.py): convolution, BatchNorm, SiLU in place (utils/torch_utils.py, initialize_weights). */
export function conv(builder: Builder, from: FeatureMaps, shape: ConvShape): Module {
  const { size = 1, acts = true, padding = padded(size), ...rest } = shape;
  const window = { ...rest, size, padding };
  const { steps, to } = buildNormedConvolution(builder, from, window, acts ? activationInPlace : null);
  return { run: sequence(steps), to };
}

/** Modules in sequence (nn.Sequential). */
export function inSequence(from: FeatureMaps, makes: readonly Make[]): Module {
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

/** Bottleneck: two convolutions with a residual connection. */
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

/** Two parallel convolutions, of which one goes through `repeats` bottlenecks (C3, C3k). */
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
  const deep = inSequence(first.to, parts);
  const run: Step = (tape, x) =>
    tape.call([x], () => {
      const both = [deep.run(tape, first.run(tape, x)), second.run(tape, x)];
      return last.run(tape, catAll(tape, both));
    });
  return { run, to: last.to };
}

/** A convolution in two halves; the second goes through modules whose outputs are all kept (C2f, C3k2). */
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

/** Number of poolings in SPPF. */
const POOLED = 3;

/** SPPF: pooled maps, concatenated with their inputs. */
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
