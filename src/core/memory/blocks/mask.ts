import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** What decides the attention mask of one batch. */
export interface MaskShape {
  readonly batch: number;
  readonly tokens: number;
  /** Tokens see what is before them only. */
  readonly causal: boolean;
}

/**
 * The mask as transformers' masking_utils builds it: none when the kernel needs none, else boolean
 * `[batch, 1, tokens, tokens]` over the padding, and for eager attention the same in the compute dtype.
 */
export function attentionMask(
  tape: Tape,
  shape: MaskShape,
  padding: Tensor | null,
  eager: Element | null,
): Tensor | null {
  if (padding === null && (eager === null || !shape.causal)) return null;
  return tape.call([], () => {
    const seen = padding && tape.name(tape.empty(padding.elements, 'bool'));
    const allowed = tape.name(booleanMask(tape, shape, seen));
    return eager === null ? allowed : additiveMask(tape, shape, eager);
  });
}

function booleanMask(tape: Tape, { batch, tokens, causal }: MaskShape, padding: Tensor | null): Tensor {
  return tape.call([], () => {
    tape.name(tape.empty(batch, 'int64'));
    tape.name(tape.empty(1, 'int64'));
    positions(tape, tokens);
    positions(tape, tokens);
    // causal: a row of queries by keys; else whether a query is one at all
    const pattern = causal ? tokens * tokens : tokens;
    if (padding === null) return tape.empty(pattern, 'bool');
    const all = tape.empty(1, 'bool');
    const seen = tape.empty(pattern, 'bool');
    const both = tape.done(tape.empty(pattern, 'bool'), all, seen);
    const rows = tape.empty(batch * tokens, 'bool');
    return tape.done(tape.empty(batch * tokens * tokens, 'bool'), both, rows);
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
