import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** `x.index_add_(0, indices, rows)`: in place; backwards rows of the gradient by their indices (derivatives.yaml). */
export function indexAddInPlace(tape: Tape, x: Tensor, indices: Tensor, rows: Tensor): Tensor {
  const node = tape.record(x, rows);
  if (node) {
    node.save(indices);
    node.backward = grad => [x.node && grad, rows.node && tape.like(rows)];
  }
  return tape.done(tape.view(x, x.elements, node), x, indices, rows);
}
