import type { Kernels } from '../behaviours';
import type { Linear } from '../modules';
import { sdpa, usesFlash } from '../ops/attention';
import type { AttentionShape, Heads } from '../ops/attention';
import { fusedRotary } from '../ops/fused';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { KV_CACHE } from '../terms';
import { eagerAttention } from './eagerAttention';
import { rotated } from './rotary';
import type { Rotation } from './rotary';

export interface AttentionModules {
  /** Query, key, value. */
  readonly inputs: readonly Linear[];
  readonly output: readonly Linear[];
}

/** What all layers of one forward pass share. */
export interface AttentionContext {
  readonly shape: AttentionShape;
  readonly kind: 'eager' | 'sdpa' | 'flash';
  readonly rotation: Rotation;
  readonly mask: Tensor | null;
  /** Keys and values are kept for generation. */
  readonly cache: boolean;
  readonly kernels: Kernels;
  readonly repeatsKeyHeads: boolean;
  readonly copiesInputs: boolean;
  readonly scaledResiduals: boolean;
}

/** LlamaAttention: projections, rotation, attention, output. Returns the weights too where they exist. */
export function selfAttention(
  tape: Tape,
  x: Tensor,
  modules: AttentionModules,
  context: AttentionContext,
): readonly Tensor[] {
  const { shape, cache } = context;
  const [project, ...others] = modules.inputs;
  const [toKeys, toValues] = others;
  const [output] = modules.output;
  if (!project || !toKeys || !toValues || !output) return [x];
  return tape.call([x], () => {
    const query = tape.name(inHeads(tape, project(tape, x), shape.heads, true));
    const key = tape.name(inHeads(tape, toKeys(tape, x), shape.kvHeads, true));
    const orderly = valueGradientIsOrderly(tape, context, x);
    let value = tape.name(inHeads(tape, toValues(tape, x), shape.kvHeads, !orderly));
    const [q, k] = turn(tape, query, key, context);
    tape.rename(query, q);
    let keys = tape.rename(key, k);
    if (cache) {
      const both = [cached(tape, keys, keys.dtype), cached(tape, value, keys.dtype)] as const;
      keys = tape.rename(keys, both[0]);
      value = tape.rename(value, both[1]);
    }
    const [mixed = q, ...weights] = attend(tape, { query: q, key: keys, value }, context);
    for (const kept of weights) tape.name(kept);
    const merged = tape.name(mixed);
    return [output(tape, merged), ...weights];
  });
}

/** apply_rotary_pos_emb, or a kernel that turns both in place. */
function turn(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  { rotation, kernels }: AttentionContext,
): readonly [Tensor, Tensor] {
  if (kernels.rotary) return [fusedRotary(tape, query), fusedRotary(tape, key)];
  return tape.call([query, key], () => {
    const turned = tape.name(rotated(tape, query, rotation));
    return [turned, rotated(tape, key, rotation)] as const;
  });
}

/** `[batch, tokens, heads · size]` seen as `[batch, heads, tokens, size]`. */
function inHeads(tape: Tape, x: Tensor, heads: number, gradientIsCopied: boolean): Tensor {
  return gradientIsCopied && heads > 1 ? viewWhoseGradientIsCopied(tape, x) : x;
}

/** Fused kernels give dv in the layout of v; repeated heads, copied inputs and eager attention do not. */
function valueGradientIsOrderly(tape: Tape, context: AttentionContext, x: Tensor): boolean {
  if (context.kind === 'eager' || context.copiesInputs) return false;
  return context.shape.heads === context.shape.kvHeads || !repeats(tape, context, x.dtype);
}

/** Whether key and value heads are repeated before the kernel gets them. */
function repeats(
  tape: Tape,
  { kind, shape, mask, repeatsKeyHeads }: AttentionContext,
  dtype: Element,
): boolean {
  return repeatsKeyHeads || (kind === 'sdpa' && !usesFlash(tape.autocast?.dtype ?? dtype, mask, shape));
}

/** DynamicCache.update: a copy that outlives the forward pass, in the dtype of the first key. */
function cached(tape: Tape, x: Tensor, dtype: Element): Tensor {
  return tape.keep(tape.during(KV_CACHE, () => tape.empty(x.elements, dtype)));
}

/** The attention function: what it makes of the heads, and the weights where it has them. */
function attend(tape: Tape, heads: Heads, context: AttentionContext): readonly Tensor[] {
  const { kind, shape, mask, cache, copiesInputs } = context;
  if (kind === 'eager') return eagerAttention(tape, heads, { shape, mask, cache });
  const { query, key, value } = heads;
  return tape.call([query, key, value], () => {
    const times = repeats(tape, context, query.dtype) ? shape.heads / shape.kvHeads : 1;
    const orderly = (x: Tensor, isOrderly: boolean): Tensor =>
      tape.name(copiesInputs && !isOrderly ? copy(tape, x) : x);
    const keys = orderly(repeatHeads(tape, key, times), times > 1);
    const values = orderly(repeatHeads(tape, value, times), times > 1);
    const mixed = sdpa(
      tape,
      { query: orderly(query, false), key: keys, value: values },
      shape,
      kind === 'flash' ? null : mask,
    );
    return [copiesInputs ? copy(tape, mixed) : mixed];
  });
}
