import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** A part of a tensor, `x[..., a:b]`: a view. In backward a full-size gradient, zero elsewhere. */
export function slice(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.view(x, elements, node), x);
}

/** Concatenation; views of the gradient in backward. */
export function cat(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  if (node) {
    node.backward = grad => [a.node && tape.view(grad, a.elements), b.node && tape.view(grad, b.elements)];
  }
  return tape.done(tape.empty(a.elements + b.elements, a.dtype, node), a, b);
}

/** A copy with another layout: `contiguous()`, or a reshape that is not a view. The gradient passes through. */
export function copy(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  return tape.done(tape.like(x, node), x);
}

/** A reshape that is a view in forward, but whose gradient has to be copied. */
export function viewWhoseGradientIsCopied(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.view(x, x.elements, node), x);
}

/** Each key or value head `times` over: a copy, or a view with stride 0. */
export function repeatHeads(tape: Tape, x: Tensor, times: number, copies: boolean): Tensor {
  if (times === 1) return x;
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  const elements = x.elements * times;
  return tape.done(copies ? tape.empty(elements, x.dtype, node) : tape.view(x, elements, node), x);
}

/** Splits a tensor into views; concatenates their gradients. */
export function split(tape: Tape, x: Tensor, sizes: readonly number[]): Tensor[] {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  const parts = sizes.map((elements, slot) => tape.view(x, elements, node, slot));
  tape.spend(x);
  return parts;
}

/**
 * Rows by indices, `x[..., [i], :]`: a copy. In backward zeros of x's size, and a second tensor with the gradient
 * (autograd's index_put of index_backward, out of place). `indices`: null for a buffer of the model.
 */
export function pick(tape: Tape, x: Tensor, indices: Tensor | null, elements: number): Tensor {
  const node = tape.record(x);
  if (node) {
    if (indices) node.save(indices);
    node.backward = grad => {
      const zeros = tape.empty(x.elements, grad.dtype);
      return [tape.done(tape.empty(x.elements, grad.dtype), zeros)];
    };
  }
  return tape.done(tape.empty(elements, x.dtype, node), x, ...(indices ? [indices] : []));
}

/** Concatenation of several tensors; views of the gradient in backward. */
export function catAll(tape: Tape, parts: readonly Tensor[]): Tensor {
  const node = tape.record(...parts);
  if (node) node.backward = grad => parts.map(part => part.node && tape.view(grad, part.elements));
  const elements = parts.reduce((sum, part) => sum + part.elements, 0);
  return tape.done(tape.empty(elements, parts[0]?.dtype ?? 'fp32', node), ...parts);
}

/** A copy of another size: padded, and sliced in backward; or rolled with the same size. */
export function resized(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(elements, x.dtype, node), x);
}

/** A reordered copy, whose gradient is copied back. */
export function reordered(tape: Tape, x: Tensor): Tensor {
  return resized(tape, x, x.elements);
}

/** Concatenation with elements that are stored elsewhere, where their gradient is also computed. */
export function catWith(tape: Tape, x: Tensor, more: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [tape.view(grad, x.elements)];
  return tape.done(tape.empty(x.elements + more, x.dtype, node), x);
}

/** x with a parameter that another operation uses, so that the parameter gets its gradient. */
export function prefixed(tape: Tape, x: Tensor, parameter: Parameter): Tensor {
  const node = tape.record(x, parameter);
  if (node) node.backward = grad => [x.node && grad, tape.like(parameter)];
  return tape.done(tape.view(x, x.elements, node), x);
}
