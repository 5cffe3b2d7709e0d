import { batchedMatmul, softmax, softmaxInFp32 } from '../ops/attention';
import type { AttentionShape, Heads } from '../ops/attention';
import { dropout } from '../ops/dropout';
import { add, scale, to } from '../ops/pointwise';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** In fp32 and cast back, as Llama has it; or in the scores' own dtype, as BERT has it. */
export type EagerSoftmax = 'fp32' | 'own';

export interface EagerContext {
  readonly shape: AttentionShape;
  readonly mask: Tensor | null;
  /** Keys and values come out of a cache, in order. */
  readonly cache: boolean;
  readonly softmax: EagerSoftmax;
  readonly dropout: number;
}

/** eager_attention_forward: every score exists. */
export function eagerAttention(
  tape: Tape,
  { query, key, value }: Heads,
  context: EagerContext,
): readonly [Tensor, Tensor] {
  const { shape, mask, cache } = context;
  const repeats = shape.heads / shape.kvHeads;
  const scores = shape.batch * shape.heads * shape.queries * shape.keys;
  return tape.call([query, key, value], () => {
    const keys = tape.name(repeatHeads(tape, key, repeats));
    const values = tape.name(repeatHeads(tape, value, repeats));
    const split = shape.batch > 1 && shape.heads > 1;
    const permuted = split && repeats === 1 && !cache;
    const product = batchedMatmul(
      tape,
      { tensor: query, permuted: split },
      { tensor: keys, permuted },
      scores,
    );
    let weights = tape.name(scale(tape, product));
    if (mask) weights = tape.rename(weights, add(tape, weights, mask));
    weights = tape.rename(weights, normalised(tape, weights, query, context.softmax));
    if (context.dropout > 0) weights = tape.rename(weights, dropout(tape, weights));
    const factors = [
      { tensor: weights, permuted: false },
      { tensor: values, permuted },
    ] as const;
    const mixed = tape.name(batchedMatmul(tape, ...factors, query.elements));
    return [copy(tape, viewWhoseGradientIsCopied(tape, mixed)), weights] as const;
  });
}

function normalised(tape: Tape, scores: Tensor, query: Tensor, kind: EagerSoftmax): Tensor {
  return kind === 'own' ? softmax(tape, scores) : to(tape, softmaxInFp32(tape, scores), query.dtype);
}
