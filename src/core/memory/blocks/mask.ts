import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** Sizes of the attention mask of one batch. */
export interface MaskShape {
  readonly batch: number;
  readonly tokens: number;
}

/**
 * The causal mask as transformers' masking_utils builds it: none when SDPA can use its own causal flag, else boolean
 * `[batch, 1, tokens, tokens]` over the padding, and for eager attention the same in the compute dtype.
 */
export function causalMask(
  tape: Tape,
  shape: MaskShape,
  padding: Tensor | null,
  eager: Element | null,
): Tensor | null {
  if (padding === null && eager === null) return null;
  return tape.call([], () => {
    const seen = padding && tape.name(tape.empty(padding.elements, 'bool'));
    const allowed = tape.name(booleanMask(tape, shape, seen));
    return eager === null ? allowed : additiveMask(tape, shape, eager);
  });
}

function booleanMask(tape: Tape, { batch, tokens }: MaskShape, padding: Tensor | null): Tensor {
  return tape.call([], () => {
    const square = tokens * tokens;
    tape.name(tape.empty(batch, 'int64'));
    tape.name(tape.empty(1, 'int64'));
    positions(tape, tokens);
    positions(tape, tokens);
    if (padding === null) return tape.empty(square, 'bool');
    const all = tape.empty(1, 'bool');
    const causal = tape.empty(square, 'bool');
    const both = tape.done(tape.empty(square, 'bool'), all, causal);
    const rows = tape.empty(batch * tokens, 'bool');
    return tape.done(tape.empty(batch * square, 'bool'), both, rows);
  });
}

/** `torch.arange(tokens) + offset`. */
function positions(tape: Tape, tokens: number): Tensor {
  const range = tape.empty(tokens, 'int64');
  return tape.name(tape.done(tape.empty(tokens, 'int64'), range));
}

/** `torch.where(mask, 0, min)`. */
function additiveMask(tape: Tape, { batch, tokens }: MaskShape, dtype: Element): Tensor {
  const zero = tape.empty(1, dtype);
  const minimum = tape.empty(1, dtype);
  return tape.done(tape.empty(batch * tokens * tokens, dtype), zero, minimum);
}
