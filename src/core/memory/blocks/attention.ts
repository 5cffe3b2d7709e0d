import { batchedMatmul, sdpa, softmaxInFp32 } from '../ops/attention';
import type { AttentionShape } from '../ops/attention';
import { add, scale, to } from '../ops/pointwise';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Linear } from '../modules';
import type { Tape } from '../tape';
import { isHalf } from '../tensor';
import type { Element, Tensor } from '../tensor';
import { KV_CACHE } from '../terms';
import { rotated } from './rotary';
import type { Rotation } from './rotary';

export interface AttentionModules {
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly output: Linear;
}

/** What all layers of one forward pass share. */
export interface AttentionContext {
  readonly shape: AttentionShape;
  readonly kind: 'eager' | 'sdpa';
  readonly rotation: Rotation;
  readonly mask: Tensor | null;
  /** Keys and values are kept for generation. */
  readonly cache: boolean;
}

/** LlamaAttention: projections, rotation, attention, output. Returns the weights too where they exist. */
export function selfAttention(
  tape: Tape,
  x: Tensor,
  modules: AttentionModules,
  context: AttentionContext,
): readonly Tensor[] {
  const { shape, rotation, cache } = context;
  return tape.call([x], () => {
    const query = tape.name(inHeads(tape, modules.query(tape, x), shape.heads, true));
    const key = tape.name(inHeads(tape, modules.key(tape, x), shape.kvHeads, true));
    let value = tape.name(
      inHeads(tape, modules.value(tape, x), shape.kvHeads, !valueGradientFits(tape, context, x)),
    );
    const [q, k] = tape.call([query, key], () => {
      const turned = tape.name(rotated(tape, query, rotation));
      return [turned, rotated(tape, key, rotation)] as const;
    });
    tape.rename(query, q);
    let keys = tape.rename(key, k);
    if (cache) {
      const both = [cached(tape, keys, keys.dtype), cached(tape, value, keys.dtype)] as const;
      keys = tape.rename(keys, both[0]);
      value = tape.rename(value, both[1]);
    }
    const heads = { query: q, key: keys, value };
    if (context.kind === 'sdpa') {
      const mixed = tape.name(sdpa(tape, heads, shape, context.mask));
      return [modules.output(tape, mixed)];
    }
    const [mixed, weights] = eager(tape, heads, context);
    tape.name(weights);
    const merged = tape.name(mixed);
    return [modules.output(tape, merged), weights];
  });
}

/** `[batch, tokens, heads · size]` seen as `[batch, heads, tokens, size]`. */
function inHeads(tape: Tape, x: Tensor, heads: number, gradientIsCopied: boolean): Tensor {
  return gradientIsCopied && heads > 1 ? viewWhoseGradientIsCopied(tape, x) : x;
}

/** Fused kernels give dv in the layout of v; repeated heads and eager attention do not. */
function valueGradientFits(tape: Tape, { kind, mask, shape }: AttentionContext, x: Tensor): boolean {
  const half = isHalf(tape.autocast?.dtype ?? x.dtype);
  return kind === 'sdpa' && (shape.heads === shape.kvHeads || (half && mask === null));
}

/** DynamicCache.update: a copy that outlives the forward pass, in the dtype of the first key. */
function cached(tape: Tape, x: Tensor, dtype: Element): Tensor {
  return tape.keep(tape.during(KV_CACHE, () => tape.empty(x.elements, dtype)));
}

/** eager_attention_forward: every score exists, in 16 bits and, for the softmax, in fp32. */
function eager(
  tape: Tape,
  { query, key, value }: { query: Tensor; key: Tensor; value: Tensor },
  context: AttentionContext,
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
