import type { Builder, Linear, Step } from '../../../modules';
import { activation, add, mul } from '../../../ops/pointwise';
import { plainLayerNorm } from '../../../ops/norm';
import { split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { modulate } from '../timeEmbedding';
import { buildCrossAttention, buildSelfAttention } from './attention';
import type { AttentionCall, AttentionDesign } from './attention';
import type { Streams } from './chain';
import { gatedSum } from './gated';

/** A block with self-attention, cross-attention to a text, and an MLP. */
export interface CrossDesign {
  readonly attention: AttentionDesign;
  /** Size of a text token. */
  readonly textSize: number;
  readonly mlp: (builder: Builder) => Step;
  /**
   * Vectors of the time step: a table added to shared vectors (PixArt), or two small layers before each of the
   * three parts, with `features` in between (Cosmos).
   */
  readonly vectors: 'table' | { readonly features: number };
}

interface CrossCall extends AttentionCall {
  readonly text: Tensor;
  readonly textMask: AttentionCall['mask'];
  /** The time step's vectors, and what is added to them. */
  readonly time: Tensor;
  readonly added: Tensor;
}

export type CrossBlock = (tape: Tape, streams: Streams, call: CrossCall) => Streams;

export function buildCrossBlock(builder: Builder, design: CrossDesign): CrossBlock {
  return design.vectors === 'table'
    ? buildTableBlock(builder, design)
    : buildSmallBlock(builder, design, design.vectors.features);
}

const TABLE = 6;

/**
 * BasicTransformerBlock.forward with ada_norm_single (diffusers, models/attention.py): cross-attention without a
 * norm.
 */
function buildTableBlock(builder: Builder, { attention, textSize, mlp }: CrossDesign): CrossBlock {
  const { width } = attention;
  const table = builder.kernel([TABLE, width]);
  const attend = buildSelfAttention(builder, attention);
  const read = buildCrossAttention(builder, attention, textSize);
  const feed = mlp(builder);
  return (tape, [x], call) => {
    if (!x) return [];
    return tape.call([x], () => {
      const all = add(tape, call.added, table);
      const sizes = Array.from({ length: TABLE }, () => all.elements / TABLE);
      const [offset = x, factor = x, gate = x, mlpOffset = x, mlpFactor = x, mlpGate = x] = split(
        tape,
        all,
        sizes,
      ).map(one => tape.name(one));
      const normed = tape.name(modulate(tape, plainLayerNorm(tape, x, width), factor, offset));
      const seen = tape.name(mul(tape, gate, attend(tape, normed, call)));
      const states = tape.name(add(tape, seen, x));
      const found = tape.rename(seen, read(tape, states, call.text, { ...call, mask: call.textMask }));
      const joined = tape.rename(states, add(tape, found, states));
      const scaled = tape.rename(
        normed,
        modulate(tape, plainLayerNorm(tape, joined, width), mlpFactor, mlpOffset),
      );
      return [gatedSum(tape, joined, mlpGate, feed(tape, scaled))];
    });
  };
}

const PARTS = 3;

/** CosmosTransformerBlock.forward: each part's vectors come from the time step through a low-rank projection. */
function buildSmallBlock(
  builder: Builder,
  { attention, textSize, mlp }: CrossDesign,
  features: number,
): CrossBlock {
  const { width } = attention;
  const linear = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: false });
  const buildVectors = (name: string) => {
    const first = linear(`${name}.linear_1`, width, features);
    const second = linear(`${name}.linear_2`, features, PARTS * width);
    return (tape: Tape, call: CrossCall): readonly Tensor[] => {
      const all = add(tape, second(tape, first(tape, activation(tape, call.time))), call.added);
      return split(
        tape,
        all,
        Array.from({ length: PARTS }, () => all.elements / PARTS),
      ).map(one => tape.name(one));
    };
  };
  const [forLook, forRead, forFeed] = [buildVectors('norm1'), buildVectors('norm2'), buildVectors('norm3')];
  const attend = buildSelfAttention(builder, attention);
  const read = buildCrossAttention(builder, { ...attention, turns: 'never' }, textSize);
  const feed = mlp(builder);
  return (tape, [x], call) => {
    if (!x) return [];
    const part = (states: Tensor, vectors: typeof forLook, body: (normed: Tensor) => Tensor): Tensor => {
      const [offset = states, factor = states, gate = states] = vectors(tape, call);
      const normed = tape.name(modulate(tape, plainLayerNorm(tape, states, width), factor, offset));
      return gatedSum(tape, states, gate, tape.name(body(normed)));
    };
    return tape.call([x], () => {
      const attended = tape.name(part(x, forLook, normed => attend(tape, normed, call)));
      const textCall = { ...call, mask: call.textMask };
      const found = tape.rename(
        attended,
        part(attended, forRead, normed => read(tape, normed, call.text, textCall)),
      );
      return [part(found, forFeed, normed => feed(tape, normed))];
    });
  };
}
