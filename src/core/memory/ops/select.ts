import type { Tape } from '../tape';
import type { Tensor, Parameter } from '../tensor';

/**
 * torch.gather with one result per index, also for indices that rows share: keeps both; in backward gradients are
 * added to zeros of x's size (derivatives.yaml, gather).
 */
export function gatherFrom(tape: Tape, x: Tensor, indices: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.save(indices);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(elements, x.dtype, node), x, indices);
}

/** `x.masked_fill(mask, number)` keeps the mask; in backward also fills the gradient. */
export function maskedFill(tape: Tape, x: Tensor, mask: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(mask);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.like(x, node), x, mask);
}

/** `x.repeat(times, 1, …)`: always a copy; in backward a sum if there is more than one. */
export function repeatRows(tape: Tape, x: Tensor, times: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [times === 1 ? grad : tape.like(x)];
  return tape.done(tape.empty(x.elements * times, x.dtype, node), x);
}

/** `x[mask] = value`: x itself; in backward a copy of its gradient without the overwritten part (index_put_). */
export function overwritten(tape: Tape, x: Tensor, mask: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(mask);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.view(x, x.elements, node), x, mask);
}

/** `x.index_add_(0, indices, rows)`: in place; in backward the gradient's rows by index (derivatives.yaml). */
export function indexAddInPlace(tape: Tape, x: Tensor, indices: Tensor, rows: Tensor): Tensor {
  const node = tape.record(x, rows);
  if (node) {
    node.save(indices);
    node.backward = grad => [x.node && grad, rows.node && tape.like(rows)];
  }
  return tape.done(tape.view(x, x.elements, node), x, indices, rows);
}

/** One row of the table per index. In backward a dense gradient of the whole table. */
export function embedding(tape: Tape, table: Parameter, indices: Tensor): Tensor {
  const [, width = 0] = table.shape;
  const node = tape.record(table);
  if (node) {
    node.save(indices);
    node.backward = grad => [tape.empty(table.elements, grad.dtype)];
  }
  return tape.done(tape.empty(indices.elements * width, table.dtype, node), indices);
}
