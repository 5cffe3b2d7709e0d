import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** `x.to(dtype)`: x itself if it has that dtype. In backward the graph casts the gradient. */
export function to(tape: Tape, x: Tensor, dtype: Element): Tensor {
  if (x.dtype === dtype) return x;
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  return tape.done(tape.empty(x.elements, dtype, node), x);
}
