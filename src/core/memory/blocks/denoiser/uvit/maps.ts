import type { Builder, Step } from '../../../modules';
import { convolution } from '../../../ops/convolution';
import { resized } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildConvolution, elementsOf } from '../../images/layers';
import type { FeatureMaps } from '../../images/layers';
import { buildSkipBlock } from './block';
import type { TextLayer } from './block';
import { buildConvNext } from './convNext';
import type { Conditioned } from './convNext';
import { rmsNorm } from '../layers';

/** Sizes of a UVitBlock. */
interface MapSizes {
  readonly depth: number;
  readonly heads: number;
  /** Size of the condition, and of a text state. */
  readonly hidden: number;
}

interface Pair {
  readonly convolve: Conditioned;
  readonly attend: TextLayer;
}

/** Maps between convolutions: UVitBlock's residual blocks, each followed by attention to the text. */
type MapBlock = TextLayer;

/**
 * UVitBlock (diffusers, models/unets/uvit_2d.py). `before` and the result of `buildAfter` halve or double the
 * sides; null: no change.
 */
export function buildMapBlock(
  builder: Builder,
  run: MemoryRun,
  maps: FeatureMaps,
  { depth, heads, hidden }: MapSizes,
  resize: { readonly before: Step | null; readonly buildAfter: () => Step | null },
): MapBlock {
  const { channels } = maps;
  const convolve = Array.from({ length: depth }, () => buildConvNext(builder, maps, hidden));
  const sizes = { width: channels, heads, textSize: hidden };
  const pairs = convolve.map((one): Pair => ({ convolve: one, attend: buildSkipBlock(builder, run, sizes) }));
  const after = resize.buildAfter();
  return (tape, x, text, condition) =>
    tape.call([x, text, condition], () => {
      const start = resize.before ? resize.before(tape, x) : x;
      const states = pairs.reduce(
        (maps_, pair) => runPair(tape, maps_, pair, text, condition),
        tape.name(start),
      );
      return after ? after(tape, states) : states;
    });
}

function runPair(tape: Tape, x: Tensor, { convolve, attend }: Pair, text: Tensor, condition: Tensor): Tensor {
  const convolved = tape.rename(x, convolve(tape, x, condition));
  return tape.rename(convolved, attend(tape, convolved, text, condition));
}

/** Downsample2D: a norm, padding of two sides by one pixel, and a convolution with stride 2. */
export function buildHalving(builder: Builder, from: FeatureMaps) {
  const norm = rmsNorm(builder, from.channels);
  const wide = { ...from, height: from.height + 1, width: from.width + 1 };
  const shape = { channels: from.channels, size: 2, stride: 2, bias: false };
  const { steps, to } = buildConvolution(builder, wide, shape);
  const [convolve] = steps;
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const padded = tape.name(resized(tape, norm(tape, x), elementsOf(wide)));
      return convolve ? convolve(tape, padded) : padded;
    });
  return { step, to };
}

/** Upsample2D: a norm and a transposed convolution of stride 2. */
export function buildDoubling(builder: Builder, from: FeatureMaps): Step {
  const norm = rmsNorm(builder, from.channels);
  const to = { ...from, height: 2 * from.height, width: 2 * from.width };
  const kernel = { weight: builder.kernel([from.channels, from.channels, 2, 2]), bias: null };
  return (tape, x) =>
    tape.call([x], () => convolution(tape, tape.name(norm(tape, x)), kernel, elementsOf(to)));
}
