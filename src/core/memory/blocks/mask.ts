import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** The inputs that decide the attention mask of a batch. */
export interface MaskShape {
  readonly batch: number;
  readonly tokens: number;
  /** Number of visible tokens, if different from the query tokens. */
  readonly keys?: number;
  /** Tokens only see earlier ones. */
  readonly causal: boolean;
  /** Number of earlier tokens that are visible; null: all. */
  readonly window: number | null;
  /** The model always builds a mask, whatever the kernel supports (Falcon). */
  readonly always?: boolean;
}

/** True if SDPA needs a mask: it supports the causal pattern itself. */
export function needsMask({ tokens, window, always }: MaskShape, padded: boolean): boolean {
  return padded || always === true || (window !== null && tokens >= window);
}

/**
 * The mask as transformers' masking_utils builds it: none if the kernel needs none, else boolean `[batch, 1,
 * tokens, tokens]` with the padding; for eager attention the same in the compute dtype.
 */
export function attentionMask(
  tape: Tape,
  shape: MaskShape,
  padding: Tensor | null,
  eager: Element | null,
): Tensor | null {
  if (!needsMask(shape, padding !== null) && (eager === null || !shape.causal)) return null;
  return tape.call([], () => {
    const seen = padding && tape.name(tape.empty(padding.elements, 'bool'));
    const allowed = tape.name(booleanMask(tape, shape, seen));
    return eager === null ? allowed : additiveMask(tape, shape, eager);
  });
}

function booleanMask(tape: Tape, shape: MaskShape, padding: Tensor | null): Tensor {
  const { batch, tokens, keys = tokens } = shape;
  return tape.call([], () => {
    tape.name(tape.empty(batch, 'int64'));
    tape.name(tape.empty(1, 'int64'));
    positions(tape, tokens);
    positions(tape, keys);
    if (padding === null) return pattern(tape, shape);
    const all = tape.empty(1, 'bool');
    const seen = pattern(tape, shape);
    const both = tape.done(tape.empty(seen.elements, 'bool'), all, seen);
    const rows = tape.empty(batch * keys, 'bool');
    return tape.done(tape.empty(batch * tokens * keys, 'bool'), both, rows);
  });
}

/** Queries by keys with the causal and window pattern; without either, one value per query. */
function pattern(tape: Tape, { tokens, causal, window }: MaskShape): Tensor {
  const square = (): Tensor => tape.empty(tokens * tokens, 'bool');
  if (!causal) return window === null ? tape.empty(tokens, 'bool') : symmetricWindow(tape, tokens, square);
  if (window === null) return square();
  const all = tape.empty(1, 'bool');
  const first = tape.empty(tokens, 'int64');
  const near = tape.done(square(), first);
  const inside = tape.done(square(), all, near);
  const before = square();
  return tape.done(square(), inside, before);
}

/** `abs(queries - keys) <= window`: a window on both sides. */
function symmetricWindow(tape: Tape, tokens: number, square: () => Tensor): Tensor {
  const all = tape.empty(1, 'bool');
  const distances = tape.empty(tokens * tokens, 'int64');
  const absolute = tape.done(tape.empty(tokens * tokens, 'int64'), distances);
  const near = tape.done(square(), absolute);
  const inside = tape.done(square(), all, near);
  const first = tape.empty(tokens, 'bool');
  return tape.done(square(), inside, first);
}

/** `torch.arange(tokens) + offset`. */
function positions(tape: Tape, tokens: number): Tensor {
  const range = tape.empty(tokens, 'int64');
  return tape.name(tape.done(tape.empty(tokens, 'int64'), range));
}

/** `torch.where(mask, 0, min)`. */
function additiveMask(tape: Tape, { batch, tokens, keys = tokens }: MaskShape, dtype: Element): Tensor {
  const zero = tape.empty(1, dtype);
  const minimum = tape.empty(1, dtype);
  return tape.done(tape.empty(batch * tokens * keys, dtype), zero, minimum);
}
