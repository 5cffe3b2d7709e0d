import type { Builder, Linear, Step } from '../../../modules';
import { to } from '../../../ops/cast';
import { sdpa, sdpaWithBias } from '../../../ops/attention';
import { cat, copy, repeatHeads, split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import type { Streams } from './chain';
import type { BuildNorm } from '../layers';

/** Design of an attention layer in diffusers. */
export interface AttentionDesign {
  /** Size of a token's state. */
  readonly width: number;
  readonly heads: number;
  readonly headDim: number;
  /** Key and value heads; default: as many as query heads. */
  readonly kvHeads?: number;
  readonly bias: boolean;
  readonly outBias: boolean;
  /** The norm over each head's queries and keys, or over all heads; null: none. */
  readonly norm: BuildNorm | null;
  readonly normSize?: 'head' | 'all heads';
  /** Queries, keys and values are transposed by head before concatenation, so that the result is copied. */
  readonly byHead: boolean;
  /** Where queries and keys are rotated: in each stream separately, or after concatenation. */
  readonly turns: 'apart' | 'together' | 'never';
}

/** Rotates queries or keys by position. */
export type Turn = (tape: Tape, x: Tensor) => Tensor;

/** Which tokens are visible: the same for all of a row, or per token. */
interface TokenMask {
  readonly tensor: Tensor;
  readonly of: 'keys' | 'pairs';
}

/** Values that all layers of a forward pass share. */
export interface AttentionCall {
  readonly batch: number;
  readonly hasFlash: boolean;
  readonly mask: TokenMask | null;
  readonly turn: Turn | null;
}

type Made = readonly [query: Tensor, key: Tensor, value: Tensor];
type Project = (tape: Tape, x: Tensor, turn: Turn | null) => Made;

/** Queries, keys and values of a stream, named in the running function. */
function buildInputs(
  builder: Builder,
  design: AttentionDesign,
  names: readonly [string, string, string],
  from: { readonly query: number; readonly seen: number },
): Project {
  const { heads, kvHeads = heads, headDim, bias, norm, normSize = 'head' } = design;
  const make = (name: string, inputs: number, count: number): Linear =>
    builder.linear({ name, inputs, outputs: count * headDim, bias });
  const layers = [
    make(names[0], from.query, heads),
    make(names[1], from.seen, kvHeads),
    make(names[2], from.seen, kvHeads),
  ] as const;
  const over = (count: number): number => (normSize === 'head' ? headDim : headDim * count);
  const norms: readonly (Step | null)[] = norm
    ? [norm(builder, over(heads)), norm(builder, over(kvHeads))]
    : [null, null];
  return (tape, x, turn) => {
    const made = layers.map(layer => tape.name(layer(tape, x)));
    const [query = x, key = x, value = x] = made;
    const finished = [query, key].map((one, i) => {
      const normed = norms[i] ? tape.rename(one, norms[i](tape, one)) : one;
      return turn ? tape.rename(normed, turn(tape, normed)) : normed;
    });
    return [finished[0] ?? query, finished[1] ?? key, value];
  };
}

/** Self-attention over all tokens. */
type SelfAttention = (tape: Tape, x: Tensor, call: AttentionCall) => Tensor;

/** Attention of one stream, with its output projection if any. */
export function buildSelfAttention(builder: Builder, design: AttentionDesign, output = true): SelfAttention {
  const { width, heads, headDim, outBias, turns } = design;
  const project = buildInputs(builder, design, ['to_q', 'to_k', 'to_v'], { query: width, seen: width });
  const shape = { name: 'to_out.0', inputs: heads * headDim, outputs: width, bias: outBias };
  const out = output ? builder.linear(shape) : null;
  return (tape, x, call) =>
    tape.call([x], () => {
      const made = project(tape, x, turns === 'never' ? null : call.turn);
      const mixed = tape.name(attend(tape, made, design, call));
      return out ? out(tape, mixed) : mixed;
    });
}

/**
 * Attention over the concatenated tokens of an image and a text: returns the image's output and, if needed, the
 * text's.
 */
type JointAttention = (tape: Tape, image: Tensor, text: Tensor, call: AttentionCall) => Streams;

/** `order`: which stream comes first. `wantsText`: also projects its output. */
export function buildJointAttention(
  builder: Builder,
  design: AttentionDesign,
  order: 'text first' | 'image first',
  wantsText = true,
): JointAttention {
  const { width, heads, headDim, outBias, turns } = design;
  const from = { query: width, seen: width };
  const ofImage = buildInputs(builder, design, ['to_q', 'to_k', 'to_v'], from);
  const ofText = buildInputs(builder, design, ['add_q_proj', 'add_k_proj', 'add_v_proj'], from);
  const shape = { inputs: heads * headDim, outputs: width, bias: outBias };
  const out = builder.linear({ ...shape, name: 'to_out.0' });
  const textOut = wantsText ? builder.linear({ ...shape, name: 'to_add_out' }) : null;
  return (tape, image, text, call) =>
    tape.call([image, text], () => {
      const apart = turns === 'apart' ? call.turn : null;
      const together = turns === 'together' ? call.turn : null;
      const parts = [ofImage(tape, image, apart), ofText(tape, text, apart)] as const;
      const made = parts[0].map((one, i) => {
        const other = parts[1][i] ?? one;
        const joined = order === 'text first' ? cat(tape, other, one) : cat(tape, one, other);
        const row = tape.rename(one, joined);
        return together && i < 2 ? tape.rename(row, together(tape, row)) : row;
      });
      const [query = image, key = image, value = image] = made;
      const mixed = tape.name(attend(tape, [query, key, value], design, call));
      const inner = heads * headDim;
      const sizes = [image, text].map(({ elements }) => (elements / width) * inner);
      const [first = mixed, second = mixed] = split(
        tape,
        mixed,
        order === 'text first' ? sizes.toReversed() : sizes,
      );
      const [ofImages, ofWords] = order === 'text first' ? [second, first] : [first, second];
      for (const one of [first, second]) tape.name(one);
      const words = textOut ? [tape.name(textOut(tape, ofWords))] : [];
      return [tape.name(out(tape, ofImages)), ...words];
    });
}

/** Attention with keys and values of other tokens. */
type CrossAttention = (tape: Tape, x: Tensor, seen: Tensor, call: AttentionCall) => Tensor;

export function buildCrossAttention(
  builder: Builder,
  design: AttentionDesign,
  seenSize: number,
): CrossAttention {
  const { width, heads, headDim, outBias } = design;
  const make = (name: string, inputs: number): Linear =>
    builder.linear({ name, inputs, outputs: heads * headDim, bias: design.bias });
  const layers = [make('to_q', width), make('to_k', seenSize), make('to_v', seenSize)] as const;
  const norms = design.norm
    ? [0, 1].map(() => design.norm?.(builder, normWidth(design)) ?? null)
    : [null, null];
  const out = builder.linear({ name: 'to_out.0', inputs: heads * headDim, outputs: width, bias: outBias });
  return (tape, x, seen, call) =>
    tape.call([x, seen], () => {
      const made = layers.map((layer, i) => tape.name(layer(tape, i === 0 ? x : seen)));
      const normed = made.map((one, i) => (norms[i] ? tape.rename(one, norms[i](tape, one)) : one));
      const [query = x, key = seen, value = seen] = normed;
      return out(tape, tape.name(attend(tape, [query, key, value], design, call)));
    });
}

const normWidth = ({ heads, headDim, normSize = 'head' }: AttentionDesign): number =>
  normSize === 'head' ? headDim : heads * headDim;

function attend(
  tape: Tape,
  [query, key, value]: Made,
  { heads, kvHeads = heads, headDim, byHead }: AttentionDesign,
  { batch, hasFlash, mask }: AttentionCall,
): Tensor {
  const times = heads / kvHeads;
  const wide = [key, value].map(one =>
    times === 1 ? one : tape.rename(one, repeatHeads(tape, one, times, true)),
  );
  const tokens = (x: Tensor, count: number): number => x.elements / (batch * count * headDim);
  const queries = tokens(query, heads);
  const keys = tokens(key, kvHeads);
  const shape = { batch, heads, kvHeads: heads, headDim, queries, keys, hasFlash };
  const states = { query, key: wide[0] ?? key, value: wide[1] ?? value };
  const mixed =
    mask?.of === 'keys'
      ? sdpaWithBias(tape, states, shape, tape.empty(batch * keys, tape.autocast?.dtype ?? query.dtype))
      : sdpa(tape, states, shape, mask?.tensor ?? null);
  const ordered = byHead ? copy(tape, mixed) : mixed;
  return to(tape, ordered, query.dtype);
}
