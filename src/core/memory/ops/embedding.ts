import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** One row of the table per index. Backwards a dense gradient of the whole table. */
export function embedding(tape: Tape, table: Parameter, indices: Tensor): Tensor {
  const [, width = 0] = table.shape;
  const node = tape.record(table);
  if (node) {
    node.save(indices);
    node.backward = grad => [tape.empty(table.elements, grad.dtype)];
  }
  return tape.done(tape.empty(indices.elements * width, table.dtype, node), indices);
}
