import type { Builder, Linear } from '../../modules';
import { batchedMatmul, softmax } from '../../ops/attention';
import { add, scale } from '../../ops/pointwise';
import { copy, pick, reordered, resized, slice, viewWhoseGradientIsCopied } from '../../ops/shape';
import type { Tape } from '../../tape';
import { bytesPer } from '../../tensor';
import type { Parameter, Tensor } from '../../tensor';
import type { FeatureMaps } from './layers';

interface WindowShape {
  readonly heads: number;
  /** The side of a window. */
  readonly window: number;
  /** Windows are shifted by half of their side. */
  readonly shifted: boolean;
}

interface Windows {
  /** Elements after padding the sides to multiples of the window. */
  readonly paddedElements: number;
  readonly isPadded: boolean;
  /** Windows per image. */
  readonly count: number;
  readonly tokens: number;
  readonly isShifted: boolean;
}

function windowsOf(
  { batch, channels, height, width }: FeatureMaps,
  { window, shifted }: WindowShape,
): Windows {
  const [rows, columns] = [Math.ceil(height / window), Math.ceil(width / window)];
  const paddedElements = batch * channels * rows * columns * window * window;
  return {
    paddedElements,
    isPadded: paddedElements !== batch * channels * height * width,
    count: rows * columns,
    tokens: window * window,
    isShifted: shifted && (rows > 1 || columns > 1),
  };
}

interface Parts {
  readonly table: Parameter;
  readonly inputs: Linear;
  readonly output: Linear;
}

/** ShiftedWindowAttention (torchvision models/swin_transformer.py): tokens attend within their window. */
export function buildWindowAttention(builder: Builder, from: FeatureMaps, shape: WindowShape): Linear {
  const { channels } = from;
  const { window, heads } = shape;
  const parts: Parts = {
    table: builder.kernel([(2 * window - 1) ** 2, heads]),
    inputs: builder.linear({ name: 'qkv', inputs: channels, outputs: 3 * channels, bias: true }),
    output: builder.linear({ name: 'proj', inputs: channels, outputs: channels, bias: true }),
  };
  builder.buffer(window ** 4 * bytesPer('int64'));
  const windows = windowsOf(from, shape);
  return (tape, x) =>
    tape.call([x], () => {
      const bias = tape.name(positionBias(tape, parts.table, windows.tokens ** 2 * heads));
      return attendInWindows(tape, x, bias, { parts, windows, shape, from });
    });
}

interface Call {
  readonly parts: Parts;
  readonly windows: Windows;
  readonly shape: WindowShape;
  readonly from: FeatureMaps;
}

/** _get_relative_position_bias */
function positionBias(tape: Tape, table: Parameter, elements: number): Tensor {
  return tape.call([], () => copy(tape, tape.name(pick(tape, table, null, elements))));
}

/** shifted_window_attention */
function attendInWindows(
  tape: Tape,
  input: Tensor,
  bias: Tensor,
  { parts, windows, shape, from }: Call,
): Tensor {
  const { isShifted, isPadded, count } = windows;
  const turned = (x: Tensor): Tensor => (count > 1 ? reordered(tape, x) : x);
  return tape.call([input, bias], () => {
    let x = tape.name(resized(tape, input, windows.paddedElements));
    if (isShifted) x = tape.rename(x, reordered(tape, x));
    x = tape.rename(x, turned(x));
    const mixed = mixedTokens(tape, x, bias, { parts, windows, shape, from });
    x = tape.rename(x, mixed);
    x = tape.rename(x, parts.output(tape, x));
    x = tape.rename(x, turned(x));
    if (isShifted) x = tape.rename(x, reordered(tape, x));
    return isPadded ? copy(tape, slice(tape, x, input.elements)) : x;
  });
}

/** The mixed tokens of each window; names live to the end of the calling function. */
function mixedTokens(tape: Tape, x: Tensor, bias: Tensor, { parts, windows, shape, from }: Call): Tensor {
  const { heads } = shape;
  const { tokens, count, isShifted } = windows;
  const all = from.batch * count;
  const permuted = all > 1 && heads > 1;
  const qkv = tape.name(viewWhoseGradientIsCopied(tape, parts.inputs(tape, x)));
  const [q, key, value] = [0, 1, 2].map(() => tape.name(slice(tape, qkv, x.elements)));
  if (!q || !key || !value) return x;
  const query = tape.rename(q, scale(tape, q));
  const product = batchedMatmul(
    tape,
    { tensor: query, permuted },
    { tensor: key, permuted },
    all * heads * tokens ** 2,
  );
  let scores = tape.name(product);
  scores = tape.rename(scores, add(tape, scores, bias));
  if (isShifted) scores = tape.rename(scores, add(tape, scores, tape.name(shiftMask(tape, x, windows))));
  const weights = tape.rename(scores, softmax(tape, scores));
  const factors = [
    { tensor: weights, permuted: false },
    { tensor: value, permuted },
  ] as const;
  return copy(tape, viewWhoseGradientIsCopied(tape, batchedMatmul(tape, ...factors, x.elements)));
}

/** Tokens that were not adjacent before the shift do not attend to each other. */
function shiftMask(tape: Tape, { dtype }: Tensor, { count, tokens }: Windows): Tensor {
  return tape.call([], () => {
    const places = tape.name(tape.empty(count * tokens, dtype));
    const inWindows = count > 1 ? tape.rename(places, tape.empty(count * tokens, dtype)) : places;
    const pairs = count * tokens ** 2;
    const differences = tape.rename(inWindows, tape.empty(pairs, dtype));
    const filled = (): Tensor => tape.done(tape.empty(pairs, dtype), tape.empty(pairs, 'bool'));
    const far = tape.name(filled());
    return tape.rename(differences, tape.done(filled(), far));
  });
}
