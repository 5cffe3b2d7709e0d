import type { Builder, Linear, Step } from '../../modules';
import { sdpa } from '../../ops/attention';
import { activation, add, mul, scale } from '../../ops/pointwise';
import { copy, split } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { buildConvolution } from '../images/layers';
import type { FeatureMaps } from '../images/layers';
import { checkpoint } from '../../transforms/checkpoint';
import { buildLayerNorm } from '../norm';
import { buildGroupNorm } from './layers';

/** Inputs of all blocks in addition to the image: text states. */
export interface Conditions {
  readonly text: Tensor;
  readonly textTokens: number;
  readonly hasFlash: boolean;
  /** Every block is checkpointed. */
  readonly checkpoints: boolean;
}

/** A layer with conditions. */
export type ConditionedStep = (tape: Tape, x: Tensor, conditions: Conditions) => Tensor;

interface TransformerShape {
  readonly depth: number;
  readonly heads: number;
  /** Size of a text state. */
  readonly textSize: number;
  /** The layers around the blocks are linear, not 1 × 1 convolutions. */
  readonly linear: boolean;
}

interface AttentionParts {
  readonly inputs: readonly [query: Linear, key: Linear, value: Linear];
  readonly output: Linear;
}

/** Attention with keys and values from the image or the text (attention_processor.py, AttnProcessor2_0). */
function buildAttention(builder: Builder, { channels }: FeatureMaps, seen: number): AttentionParts {
  const make = (name: string, inputs: number, bias: boolean): Linear =>
    builder.linear({ name, inputs, outputs: channels, bias });
  const query = make('to_q', channels, false);
  return {
    inputs: [query, make('to_k', seen, false), make('to_v', seen, false)],
    output: make('to_out.0', channels, true),
  };
}

interface AttentionCall {
  readonly from: FeatureMaps;
  readonly heads: number;
  readonly hasFlash: boolean;
  /** Number of keys. */
  readonly keys: number;
}

function attend(
  tape: Tape,
  x: Tensor,
  seen: Tensor,
  { inputs, output }: AttentionParts,
  call: AttentionCall,
): Tensor {
  const { batch, channels, height, width } = call.from;
  const { heads, hasFlash, keys } = call;
  const [toQuery, toKey, toValue] = inputs;
  return tape.call([x, seen], () => {
    const query = tape.name(toQuery(tape, x));
    const key = tape.name(toKey(tape, seen));
    const value = tape.name(toValue(tape, seen));
    const sizes = { batch, heads, kvHeads: heads, headDim: channels / heads, queries: height * width, keys };
    let states = tape.name(sdpa(tape, { query, key, value }, { ...sizes, hasFlash }, null));
    states = tape.rename(states, output(tape, states));
    return scale(tape, states);
  });
}

/** BasicTransformerBlock: self-attention, cross-attention to the text, and an MLP, each over a norm. */
function buildBlock(
  builder: Builder,
  from: FeatureMaps,
  { heads, textSize }: TransformerShape,
): ConditionedStep {
  const { channels, height, width } = from;
  const first = buildLayerNorm(builder, channels);
  const own = buildAttention(builder, from, channels);
  const second = buildLayerNorm(builder, channels);
  const cross = buildAttention(builder, from, textSize);
  const third = buildLayerNorm(builder, channels);
  const mlp = buildGatedMlp(builder, channels);
  return (tape, x, { text, textTokens, hasFlash }) =>
    tape.call([x], () => {
      let normed = tape.name(first(tape, x));
      const call = { from, heads, hasFlash };
      let attended = tape.name(attend(tape, normed, normed, own, { ...call, keys: height * width }));
      let states = tape.name(add(tape, attended, x));
      normed = tape.rename(normed, second(tape, states));
      attended = tape.rename(attended, attend(tape, normed, text, cross, { ...call, keys: textTokens }));
      states = tape.rename(states, add(tape, attended, states));
      normed = tape.rename(normed, third(tape, states));
      const change = tape.name(mlp(tape, normed));
      return add(tape, change, states);
    });
}

/** FeedForward with GEGLU. */
function buildGatedMlp(builder: Builder, channels: number): Step {
  const inner = 4 * channels;
  const up = builder.linear({ name: 'proj', inputs: channels, outputs: 2 * inner, bias: true });
  const down = builder.linear({ name: 'net.2', inputs: inner, outputs: channels, bias: true });
  return (tape, x) =>
    tape.call([x], () => {
      const gated = tape.call([x], () => {
        const size = (x.elements / channels) * inner;
        const [states = x, gate = x] = split(tape, up(tape, x), [size, size]);
        for (const half of [states, gate]) tape.name(half);
        return mul(tape, states, activation(tape, gate));
      });
      return down(tape, tape.name(gated));
    });
}

/** The layer before or after the blocks. */
function buildAround(builder: Builder, from: FeatureMaps, name: string, linear: boolean): Step | undefined {
  const { channels } = from;
  if (linear) return builder.linear({ name, inputs: channels, outputs: channels, bias: true });
  return buildConvolution(builder, from, { channels, size: 1, bias: true }).steps[0];
}

/** Transformer2DModel over the positions of an image, between two 1 × 1 convolutions. */
export function buildTransformer(
  builder: Builder,
  from: FeatureMaps,
  shape: TransformerShape,
): ConditionedStep {
  const norm = buildGroupNorm(builder, from);
  const into = buildAround(builder, from, 'proj_in', shape.linear);
  const blocks = builder.repeat(shape.depth, () => buildBlock(builder, from, shape));
  const outOf = buildAround(builder, from, 'proj_out', shape.linear);
  return (tape, x, conditions) =>
    tape.call([x], () => {
      let states = tape.name(norm(tape, x));
      if (shape.linear) states = tape.rename(states, copy(tape, states));
      if (into) states = tape.rename(states, into(tape, states));
      for (const { part, times } of blocks) {
        const body = (each: Tensor): Tensor => part(tape, each, conditions);
        const kind = conditions.checkpoints ? 'non-reentrant' : 'none';
        const block = { kind, captured: [conditions.text], body } as const;
        states = tape.repeat(times, states, [each => checkpoint(tape, each, block)]);
      }
      if (shape.linear && outOf) states = tape.rename(states, outOf(tape, states));
      const ordered = tape.name(copy(tape, states));
      const projected = outOf && !shape.linear ? tape.rename(ordered, outOf(tape, ordered)) : ordered;
      return add(tape, projected, x);
    });
}
