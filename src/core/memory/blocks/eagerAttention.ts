import { batchedMatmul, softmax, softmaxInFp32 } from '../ops/attention';
import type { AttentionShape, Heads } from '../ops/attention';
import { add, addInPlace, dropout, floored, scale, tanh } from '../ops/pointwise';
import { to } from '../ops/cast';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { notesScores } from '../work';

/**
 * The dtype of softmax: fp32 and cast back, as in Llama; or the scores' own dtype, as in BERT, even with a cast
 * (GPT-2).
 */
export type EagerSoftmax = 'fp32' | 'own' | 'own, cast back';

interface EagerContext {
  readonly shape: AttentionShape;
  readonly mask: Tensor | null;
  /** Added to the scores before the mask (T5); null: none. */
  readonly bias: Tensor | null;
  /** Adds the bias to the scores in place (MPNet). */
  readonly biasInPlace?: boolean;
  /** Keys and values come from a cache, contiguous. */
  readonly cache: boolean;
  readonly softmax: EagerSoftmax;
  readonly capsScores: boolean;
  readonly floorsScores: boolean;
  /** Scores stay named next to the weights, and are returned with them. */
  readonly keepsScores?: boolean;
  readonly dropout: number;
}

/** eager_attention_forward: computes every score. */
export function eagerAttention(
  tape: Tape,
  { query, key, value, byHead = 'none' }: Heads,
  context: EagerContext,
): readonly Tensor[] {
  const { shape, mask, cache, keepsScores = false } = context;
  const repeats = shape.heads / shape.kvHeads;
  const scores = shape.batch * shape.heads * shape.queries * shape.keys;
  return tape.call([query, key, value], () => {
    const keys = tape.name(repeatHeads(tape, key, repeats, shape.kvHeads > 1));
    const values = tape.name(repeatHeads(tape, value, repeats, shape.kvHeads > 1));
    const split = shape.batch > 1 && shape.heads > 1;
    const permuted = (ordered: boolean): boolean =>
      split && (repeats === 1 ? !ordered && !cache : shape.kvHeads === 1);
    const turned = byHead !== 'none';
    const product = batchedMatmul(
      tape,
      { tensor: query, permuted: split && !turned },
      { tensor: keys, permuted: permuted(turned) },
      scores,
    );
    notesScores(tape, product, shape);
    let weights = tape.name(scale(tape, product));
    if (context.capsScores) {
      weights = tape.through(
        weights,
        [scale, tanh, scale].map(step => x => step(tape, x)),
      );
    }
    if (context.bias) {
      const plus = context.biasInPlace === true ? addInPlace : add;
      weights = tape.rename(weights, plus(tape, weights, context.bias));
    }
    if (mask) weights = tape.rename(weights, add(tape, weights, mask));
    if (context.floorsScores) weights = tape.rename(weights, floored(tape, weights));
    const scored = weights;
    weights = tape.name(normalized(tape, scored, { query, value: values }, context.softmax));
    if (!keepsScores) tape.drop(scored);
    weights = tape.rename(weights, dropout(tape, weights, context.dropout));
    const factors = [
      { tensor: weights, permuted: false },
      { tensor: values, permuted: permuted(byHead === 'all') },
    ] as const;
    const mixed = tape.name(batchedMatmul(tape, ...factors, query.elements));
    notesScores(tape, mixed, { ...shape, keys: shape.headDim, headDim: shape.keys });
    const merged = copy(tape, viewWhoseGradientIsCopied(tape, mixed));
    return keepsScores ? [merged, weights, scored] : [merged, weights];
  });
}

function normalized(
  tape: Tape,
  scores: Tensor,
  { query, value }: Pick<Heads, 'query' | 'value'>,
  kind: EagerSoftmax,
): Tensor {
  if (kind === 'fp32') return to(tape, softmaxInFp32(tape, scores), query.dtype);
  const weights = softmax(tape, scores);
  return kind === 'own' ? weights : to(tape, weights, value.dtype);
}
