import type { ModelFacts } from '../../models/model';
import type { Step } from '../modules';
import { batchedMatmul, sdpa, softmax } from '../ops/attention';
import { scaledProduct } from '../ops/linear';
import { to } from '../ops/cast';
import { add, where } from '../ops/pointwise';
import { cat, copy, slice, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { cached } from './attention';
import type { AttentionContext } from './attention';
import { partSizes } from './fusedProjections';
import { turned } from './rotary';

type ThreeParts = readonly [query: Tensor, key: Tensor, value: Tensor];

/** Layers of GPTNeoXAttention, and the rotated share of each head. */
interface NeoxParts {
  readonly model: ModelFacts;
  readonly project: Step;
  readonly output: Step;
  readonly share: number;
  /** Dtype of the layer's cosines and sines. */
  readonly tables: Element;
}

/**
 * GPTNeoXAttention before transformers 4.49 (modeling_gpt_neox.py of 4.42.4): cosine and sine are buffers; if they
 * are in fp32, queries, keys and eager scores become fp32; a pattern in a buffer masks them.
 */
export function formerNeoxAttention(
  tape: Tape,
  x: Tensor,
  parts: NeoxParts,
  context: AttentionContext,
): Tensor {
  return tape.call([x], () => {
    const [q, k, v] = projected(tape, x, parts, context);
    for (const part of [q, k, v]) tape.name(part);
    const mixed =
      context.kind === 'eager' ? eager(tape, [q, k, v], context) : fused(tape, [q, k, v], context);
    return parts.output(tape, tape.name(mixed));
  });
}

/** _attn_projections_and_rope */
function projected(
  tape: Tape,
  x: Tensor,
  { model, project, share, tables }: NeoxParts,
  context: AttentionContext,
): ThreeParts {
  return tape.call([x], () => {
    const all = tape.name(project(tape, x));
    const [query, key, value] = partSizes(model, x.elements / model.hiddenSize).map(size =>
      tape.name(slice(tape, all, size)),
    ) as unknown as ThreeParts;
    const halves = [query, key].map(part => {
      const size = part.elements * share;
      return [
        tape.name(slice(tape, part, size)),
        tape.name(slice(tape, part, part.elements - size)),
      ] as const;
    });
    const [[q, restOfQuery] = [query, query], [k, restOfKey] = [key, key]] = halves;
    const rows = context.shape.queries * model.headDim * share;
    const [turnedQuery, turnedKey] = turnedByBuffers(tape, [q, k], rows, tables);
    for (const one of [turnedQuery, turnedKey]) tape.name(one);
    const newQuery = tape.rename(turnedQuery, cat(tape, turnedQuery, restOfQuery));
    let newKey = tape.rename(turnedKey, cat(tape, turnedKey, restOfKey));
    let newValue = value;
    if (context.cache) {
      newKey = tape.rename(newKey, cached(tape, newKey, newKey.dtype, context));
      newValue = tape.rename(value, cached(tape, value, value.dtype, context));
    }
    return [newQuery, newKey, newValue] as const;
  });
}

/** apply_rotary_pos_emb with rows from the layer's own buffers. */
function turnedByBuffers(
  tape: Tape,
  [query, key]: readonly [Tensor, Tensor],
  elements: number,
  dtype: Element,
): readonly [Tensor, Tensor] {
  return tape.call([query, key], () => {
    const cos = tape.name(tape.empty(elements, dtype));
    const sin = tape.name(tape.empty(elements, dtype));
    return turned(tape, query, key, { cos, sin });
  });
}

/** _attn and _merge_heads. */
function eager(tape: Tape, [query, key, value]: ThreeParts, { shape, mask }: AttentionContext): Tensor {
  const { batch, heads, queries, keys } = shape;
  const elements = batch * heads * queries * keys;
  const mixed = tape.call([query, key, value], () => {
    const zeros = tape.name(tape.empty(elements, query.dtype));
    let scores = tape.rename(zeros, scaledProduct(tape, query, key, elements));
    scores = tape.rename(scores, where(tape, tape.empty(1, 'bool'), scores, elements));
    if (mask) scores = tape.rename(scores, add(tape, scores, mask));
    let weights = tape.name(softmax(tape, scores));
    weights = tape.rename(weights, to(tape, weights, value.dtype));
    const split = batch > 1 && heads > 1;
    return batchedMatmul(
      tape,
      { tensor: weights, permuted: false },
      { tensor: value, permuted: split },
      query.elements,
    );
  });
  return copy(tape, viewWhoseGradientIsCopied(tape, tape.name(mixed)));
}

/** GPTNeoXSdpaAttention and GPTNeoXFlashAttention2: casts back to the values' dtype. */
function fused(tape: Tape, [q, k, value]: ThreeParts, { shape, kind, mask }: AttentionContext): Tensor {
  const query = tape.rename(q, to(tape, q, value.dtype));
  const key = tape.rename(k, to(tape, k, value.dtype));
  const mixed = tape.name(sdpa(tape, { query, key, value }, shape, kind === 'flash' ? null : mask));
  // The output has the same layout by head.
  return copy(tape, mixed);
}
