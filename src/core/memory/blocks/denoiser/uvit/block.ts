import type { Builder, Step, Linear } from '../../../modules';
import { activation, add, mul, scale } from '../../../ops/pointwise';
import { split } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildLayerNorm } from '../../norm';
import { buildModulations, modulate } from '../timeEmbedding';
import type { Conditioned } from './convNext';
import { rmsNorm } from '../layers';
import { sdpa } from '../../../ops/attention';

/** Attention of `x` to `seen`: self- or cross-attention. */
type Attend = (tape: Tape, x: Tensor, seen: Tensor) => Tensor;

interface AttentionSizes {
  readonly width: number;
  readonly heads: number;
  /** Size of an attended state. */
  readonly seen: number;
}

/** Attention without biases (diffusers, attention_processor.py, AttnProcessor2_0). */
function buildAttention(
  builder: Builder,
  { batch: { rows: batch }, kernels: { hasFlash } }: MemoryRun,
  { width, heads, seen }: AttentionSizes,
): Attend {
  const make = (name: string, inputs: number): Linear =>
    builder.linear({ name, inputs, outputs: width, bias: false });
  const toQuery = make('to_q', width);
  const [toKey, toValue, toOut] = [make('to_k', seen), make('to_v', seen), make('to_out.0', width)];
  return (tape, x, source) =>
    tape.call([x, source], () => {
      const queries = x.elements / (batch * width);
      const keys = source.elements / (batch * seen);
      const shape = { batch, heads, kvHeads: heads, headDim: width / heads, queries, keys, hasFlash };
      const query = tape.name(toQuery(tape, x));
      const key = tape.name(toKey(tape, source));
      const value = tape.name(toValue(tape, source));
      const states = tape.name(sdpa(tape, { query, key, value }, shape, null));
      return scale(tape, tape.rename(states, toOut(tape, states)));
    });
}

/** A layer over tokens with cross-attention to a text, and a condition. */
export type TextLayer = (tape: Tape, x: Tensor, text: Tensor, condition: Tensor) => Tensor;

/**
 * SkipFFTransformerBlock: cross-attention to the text, twice, each over a norm (diffusers, models/attention.py).
 */
export function buildSkipBlock(
  builder: Builder,
  run: MemoryRun,
  sizes: { readonly width: number; readonly heads: number; readonly textSize: number },
): TextLayer {
  const { width, heads, textSize } = sizes;
  const map =
    textSize === width
      ? null
      : builder.linear({ name: 'kv_mapper', inputs: textSize, outputs: width, bias: false });
  const make = () => {
    const norm = rmsNorm(builder, width);
    return { norm, attention: buildAttention(builder, run, { width, heads, seen: width }) };
  };
  const halves = [make(), make()];
  return (tape, x, text) =>
    tape.call([x, text], () => {
      const seen = map ? tape.name(map(tape, activation(tape, text))) : text;
      return halves.reduce((states, { norm, attention }) => {
        const attended = tape.name(attention(tape, tape.name(norm(tape, states)), seen));
        return tape.rename(states, add(tape, attended, states));
      }, tape.name(x));
    });
}

/** AdaLayerNormContinuous: a norm, scaled and shifted by the condition. */
function buildAdaptiveNorm(
  builder: Builder,
  width: number,
  norm: (builder: Builder, size: number) => Step,
): Conditioned {
  const vectors = buildModulations(builder, 'norm.linear', {
    from: width,
    size: width,
    count: 2,
    bias: false,
  });
  const inner = norm(builder, width);
  return (tape, x, condition) =>
    tape.call([x, condition], () => {
      const [factor = condition, offset = condition] = vectors(tape, condition).map(one => tape.name(one));
      return modulate(tape, inner(tape, x), factor, offset);
    });
}

/** BasicTransformerBlock with ada_norm_continuous and GEGLU (diffusers, models/attention.py). */
export function buildTextLayer(
  builder: Builder,
  run: MemoryRun,
  sizes: { readonly width: number; readonly heads: number; readonly inner: number },
): TextLayer {
  const { width, heads, inner } = sizes;
  const first = buildAdaptiveNorm(builder, width, rmsNorm);
  const own = buildAttention(builder, run, { width, heads, seen: width });
  const second = buildAdaptiveNorm(builder, width, rmsNorm);
  const cross = buildAttention(builder, run, { width, heads, seen: width });
  const third = buildAdaptiveNorm(builder, width, plainLayerNorm);
  const mlp = buildGeglu(builder, width, inner);
  return (tape, x, text, condition) =>
    tape.call([x, text, condition], () => {
      let normed = tape.name(first(tape, x, condition));
      let attended = tape.name(own(tape, normed, normed));
      let states = tape.name(add(tape, attended, x));
      normed = tape.rename(normed, second(tape, states, condition));
      attended = tape.rename(attended, cross(tape, normed, text));
      states = tape.rename(states, add(tape, attended, states));
      normed = tape.rename(normed, third(tape, states, condition));
      return add(tape, tape.name(mlp(tape, normed)), states);
    });
}

/** A LayerNorm without a bias, because the block has none. */
const plainLayerNorm = (builder: Builder, size: number): Step => buildLayerNorm(builder, size, 'no bias');

/** FeedForward with GEGLU: `hidden * gelu(gate)`. */
function buildGeglu(builder: Builder, width: number, inner: number): Step {
  const up = builder.linear({ name: 'ff.net.0.proj', inputs: width, outputs: 2 * inner, bias: false });
  const down = builder.linear({ name: 'ff.net.2', inputs: inner, outputs: width, bias: false });
  return (tape, x) =>
    tape.call([x], () => {
      const gated = tape.call([x], () => {
        const size = (x.elements / width) * inner;
        const [states = x, gate = x] = split(tape, up(tape, x), [size, size]).map(one => tape.name(one));
        return mul(tape, states, activation(tape, gate));
      });
      return down(tape, tape.name(gated));
    });
}
