import { sdpa, usesFlash } from '../ops/attention';
import type { AttentionShape, Heads } from '../ops/attention';
import { copy, repeatHeads, viewWhoseGradientIsCopied } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { eagerAttention } from './eagerAttention';
import type { EagerSoftmax } from './eagerAttention';

/** How a forward pass computes attention, the same in all layers. */
export interface AttendContext {
  readonly shape: AttentionShape;
  readonly kind: 'eager' | 'sdpa' | 'flash';
  readonly mask: Tensor | null;
  /** Keys and values are kept for generation. */
  readonly cache: boolean;
  readonly repeatsKeyHeads: boolean;
  readonly copiesInputs: boolean;
  readonly softmax: EagerSoftmax;
  /** Eager attention caps scores with tanh (Gemma 2). */
  readonly capsScores: boolean;
  /** Eager attention adds it to the scores, before the mask (T5, MPNet); null: none. */
  readonly bias: Tensor | null;
  /** Eager attention clamps scores to the minimum of their dtype (former OPT). */
  readonly floorsScores: boolean;
  /** Eager scores live as long as their weights (former encoders). */
  readonly keepsScores?: boolean;
  /** Dropout probability of attention weights in training. */
  readonly dropout: number;
}

/** Attention as most encoders have it: every query sees every key, without a mask. A family replaces what differs. */
export function plainAttention(run: MemoryRun, queries: number, keys = queries): AttendContext {
  const { heads, headDim } = run.model;
  const { attention, hasFlash } = run.kernels;
  return {
    shape: { batch: run.batch.rows, heads, kvHeads: heads, headDim, queries, keys, hasFlash },
    kind: attention,
    mask: null,
    cache: false,
    repeatsKeyHeads: false,
    copiesInputs: run.behavior.copiesAttentionInputs,
    floorsScores: false,
    softmax: 'own',
    capsScores: false,
    bias: null,
    dropout: 0,
  };
}

/** The attention function: returns its output, and the weights if they exist. */
export function attend(tape: Tape, heads: Heads, context: AttendContext): readonly Tensor[] {
  const { kind, shape, mask, copiesInputs } = context;
  if (kind === 'eager') return eagerAttention(tape, heads, context);
  const { query, key, value, byHead = 'none' } = heads;
  const turned = byHead !== 'none';
  return tape.call([query, key, value], () => {
    const times = repeats(tape, context, query.dtype) ? shape.heads / shape.kvHeads : 1;
    // A model's own `expand` and `reshape` do not copy a single head; torch's repeat_interleave does.
    const copied = shape.kvHeads > 1 || (mask === null && !context.repeatsKeyHeads);
    const ordered = (x: Tensor, isOrdered: boolean): Tensor =>
      tape.name(copiesInputs && !isOrdered ? copy(tape, x) : x);
    const keys = ordered(repeatHeads(tape, key, times, copied), turned || times > 1);
    const values = ordered(repeatHeads(tape, value, times, copied), byHead === 'all' || times > 1);
    const inputs = { query: ordered(query, turned), key: keys, value: values };
    const mixed = sdpa(tape, inputs, shape, kind === 'flash' ? null : mask);
    // FlashAttention's output has the layout of the queries; the next layer needs it by token.
    const flash = kind === 'flash' || usesFlash(mixed.dtype, mask, shape);
    return [flash && (turned || copiesInputs) ? copy(tape, mixed) : mixed];
  });
}

/** `[batch, tokens, heads · size]` viewed as `[batch, heads, tokens, size]`. */
export function viewAsHeads(tape: Tape, x: Tensor, heads: number, gradientIsCopied: boolean): Tensor {
  return gradientIsCopied && heads > 1 ? viewWhoseGradientIsCopied(tape, x) : x;
}

/**
 * Fused kernels return gradients in the layout of their inputs; repeated heads, copied inputs and eager attention
 * do not. `dtype` is that of the hidden states.
 */
export function gradientIsOrderly(tape: Tape, context: AttendContext, dtype: Element): boolean {
  if (context.kind === 'eager' || context.copiesInputs) return false;
  return context.shape.heads === context.shape.kvHeads || !repeats(tape, context, dtype);
}

/** True if key and value heads are repeated before the kernel. */
function repeats(tape: Tape, { kind, shape, mask, repeatsKeyHeads }: AttendContext, dtype: Element): boolean {
  return repeatsKeyHeads || (kind === 'sdpa' && !usesFlash(tape.autocast?.dtype ?? dtype, mask, shape));
}
