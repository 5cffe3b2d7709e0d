import { batchedMatmul, softmaxInFp32 } from '../ops/attention';
import type { AttentionShape, Heads } from '../ops/attention';
import { add, scale, to } from '../ops/pointwise';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

export interface EagerContext {
  readonly shape: AttentionShape;
  readonly mask: Tensor | null;
  /** Keys and values come out of a cache, in order. */
  readonly cache: boolean;
}

/** eager_attention_forward: every score exists, in 16 bits and, for the softmax, in fp32. */
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
    weights = tape.rename(weights, to(tape, softmaxInFp32(tape, weights), query.dtype));
    const factors = [
      { tensor: weights, permuted: false },
      { tensor: values, permuted },
    ] as const;
    const mixed = tape.name(batchedMatmul(tape, ...factors, query.elements));
    return [copy(tape, viewWhoseGradientIsCopied(tape, mixed)), weights] as const;
  });
}
