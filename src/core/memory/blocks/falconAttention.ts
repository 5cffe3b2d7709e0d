import type { ModelFacts } from '../../models/model';
import type { Builder } from '../modules';
import { batchedMatmul, sdpa, softmaxIn } from '../ops/attention';
import type { AttentionShape } from '../ops/attention';
import { add, scaleInPlace } from '../ops/pointwise';
import { copy, pick, repeatHeads, slice, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { lower } from '../transforms/autocast';
import { cached } from './attention';
import type { AttentionContext } from './attention';
import { turned } from './rotary';

/** Attention over x: its output, and the weights if they exist. */
type Attention = (tape: Tape, x: Tensor, context: AttentionContext) => readonly Tensor[];

type ThreeParts = readonly [query: Tensor, key: Tensor, value: Tensor];

/** Key heads are copied for each query head when they are split (40B, 180B). */
const isGrouped = ({ extra }: ModelFacts): boolean => extra['new_decoder_architecture'] === true;

/** FalconAttention: one projection for all heads, split by `_split_heads`. */
export function buildFalconAttention(builder: Builder, model: ModelFacts): Attention {
  const { heads, kvHeads, headDim, hiddenSize, qkvBias, attentionOutBias } = model;
  const all = (heads + 2 * kvHeads) * headDim;
  const shape = { inputs: hiddenSize, derived: true };
  const project = builder.linear({ ...shape, name: 'query_key_value', outputs: all, bias: qkvBias });
  const output = builder.linear({ ...shape, name: 'dense', outputs: hiddenSize, bias: attentionOutBias });
  return (tape, x, context) =>
    tape.call([x], () => {
      const fused = tape.name(project(tape, x));
      const parts = splitHeads(tape, fused, model);
      for (const part of parts) tape.name(part);
      const [mixed, ...weights] = attend(tape, placed(tape, parts, context), context, {
        model,
        dtype: x.dtype,
      });
      for (const kept of weights) tape.name(kept);
      const merged = tape.name(mixed);
      return [output(tape, merged), ...weights];
    });
}

/**
 * Views of each third; or queries as a view, and the few keys and values as copies, one per query head if grouped.
 */
function splitHeads(tape: Tape, fused: Tensor, model: ModelFacts): ThreeParts {
  const { heads, kvHeads, headDim } = model;
  const rows = fused.elements / ((heads + 2 * kvHeads) * headDim);
  const size = (count: number): number => rows * count * headDim;
  const queries = (): Tensor => slice(tape, fused, size(heads));
  if (kvHeads === heads && !isGrouped(model)) return [queries(), queries(), queries()];
  const few = (): Tensor => pick(tape, fused, tape.empty(1, 'int64'), size(kvHeads));
  if (!isGrouped(model)) return [queries(), few(), few()];
  return tape.call([], () => {
    const [query, key, value] = [tape.name(queries()), tape.name(few()), tape.name(few())];
    const spread = (x: Tensor): Tensor => repeatHeads(tape, x, heads / kvHeads, true);
    return [copy(tape, query), spread(key), spread(value)] as const;
  });
}

/** Rotates queries and keys, and puts keys and values into the cache, under the same names. */
function placed(tape: Tape, [q, k, v]: ThreeParts, context: AttentionContext): ThreeParts {
  let [query, key, value] = [q, k, v];
  if (context.rotation) {
    const [first, second] = turned(tape, query, key, context.rotation);
    query = tape.rename(query, first);
    key = tape.rename(key, second);
  }
  if (!context.cache) return [query, key, value];
  const { dtype } = key;
  const both = [cached(tape, key, dtype, context), cached(tape, value, dtype, context)] as const;
  key = tape.rename(key, both[0]);
  value = tape.rename(value, both[1]);
  return [query, key, value];
}

interface Own {
  readonly model: ModelFacts;
  /** The dtype of attention, in which eager weights are normalized. */
  readonly dtype: Element;
}

function attend(
  tape: Tape,
  parts: ThreeParts,
  context: AttentionContext,
  own: Own,
): readonly [Tensor, ...Tensor[]] {
  if (context.kind === 'eager') return eager(tape, parts, context, own);
  const shared = isGrouped(own.model) ? context.shape.heads : context.shape.kvHeads;
  // FlashAttention's own function accepts shared heads; SDPA gets them repeated for each query head.
  const kvHeads = context.kind === 'flash' ? shared : context.shape.heads;
  const shape: AttentionShape = { ...context.shape, kvHeads };
  const mixed = tape.call(parts, () => {
    const [query, key, value] = parts.map(part => lower(tape, part)) as unknown as ThreeParts;
    const times = kvHeads / shared;
    const keys = repeatHeads(tape, key, times, true);
    const values = repeatHeads(tape, value, times, true);
    return sdpa(
      tape,
      { query, key: keys, value: values },
      shape,
      context.kind === 'flash' ? null : context.mask,
    );
  });
  return [mixed];
}

/** Scores divided in place, masked, normalized in the dtype of the hidden states; no dropout. */
function eager(
  tape: Tape,
  [query, key, value]: ThreeParts,
  { shape, mask }: AttentionContext,
  { model, dtype }: Own,
): readonly [Tensor, Tensor] {
  const { batch, heads, queries, keys } = shape;
  const times = isGrouped(model) ? 1 : heads / shape.kvHeads;
  const split = batch > 1 && heads > 1;
  // A single row is expanded without a copy.
  const expanded = (x: Tensor): Tensor => repeatHeads(tape, lower(tape, x), times, batch > 1);
  const permuted = split && times === 1;
  const factors = [
    { tensor: query, permuted: split },
    { tensor: expanded(key), permuted },
  ] as const;
  const product = batchedMatmul(tape, ...factors, batch * heads * queries * keys);
  let scores = tape.name(product);
  scores = tape.rename(scores, scaleInPlace(tape, scores));
  const masked = mask ? add(tape, scores, mask) : scores;
  scores = tape.rename(scores, softmaxIn(tape, masked, dtype));
  const values = { tensor: expanded(value), permuted };
  const mixed = tape.name(batchedMatmul(tape, { tensor: scores, permuted: false }, values, query.elements));
  return [copy(tape, viewWhoseGradientIsCopied(tape, mixed)), scores];
}
