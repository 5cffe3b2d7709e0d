import type { Node, Tensor } from '../tensor';
import type { Tape } from '../tape';
import { promoted } from '../tensor';
import { widen } from '../transforms/autocast';

/*
 * Elementwise operations. What each keeps and allocates in backward follows torch's
 * tools/autograd/derivatives.yaml; for a broadcast operand the gradient has the result's size, and the graph sums
 * it.
 */

/** The larger operand: the other is broadcast to it. */
function larger(a: Tensor, b: Tensor): number {
  return Math.max(a.elements, b.elements);
}

export function add(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  if (node) node.backward = grad => [a.node && grad, b.node && grad];
  return tape.done(tape.empty(larger(a, b), promoted(a, b), node), a, b);
}

/** a · b: for each factor that requires a gradient, the other one is kept. */
export function mul(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  if (node) {
    if (b.node) node.save(a);
    if (a.node) node.save(b);
    const gradient = (grad: Tensor, other: Tensor): Tensor =>
      tape.empty(grad.elements, promoted(grad, other));
    node.backward = grad => [a.node && gradient(grad, b), b.node && gradient(grad, a)];
  }
  return tape.done(tape.empty(larger(a, b), promoted(a, b), node), a, b);
}

/** What a unary function keeps, and the number of tensors in its derivative's expression. */
interface Unary {
  readonly keeps: 'input' | 'result' | 'nothing';
  /**
   * The last one is the gradient; C++ temporaries live to the end of the expression. 0: the gradient passes
   * through.
   */
  readonly allocates: number;
}

function unary(tape: Tape, x: Tensor, { keeps, allocates }: Unary): Tensor {
  const node = tape.record(x);
  if (node && keeps === 'input') node.save(x);
  const result = tape.like(x, node);
  if (node && keeps === 'result') node.save(result);
  if (node) node.backward = grad => [allocates === 0 ? grad : expression(tape, x, allocates)];
  return tape.done(result, x);
}

/** The last of these tensors; the others are temporaries that live to the end. */
function expression(tape: Tape, like: Tensor, allocates: number): Tensor {
  if (allocates === 1) return tape.like(like);
  const temporary = tape.like(like);
  return tape.done(expression(tape, like, allocates - 1), temporary);
}

/** x times a number; -x. */
export function scale(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'nothing', allocates: 1 });
}

/** Multiplies x by a number, in place. */
export function scaleInPlace(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.view(x, x.elements, node), x);
}

/** `a += b` */
export function addInPlace(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  if (node) node.backward = grad => [a.node && grad, b.node && grad];
  return tape.done(tape.view(a, a.elements, node), a, b);
}

/** x plus a number. */
export function shift(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'nothing', allocates: 0 });
}

/** x²: `grad * (2 * self.pow(1))`. */
export function square(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'input', allocates: 3 });
}

/** x³: `grad * (3 * self.pow(2))`; autocast runs it in fp32. */
export function cube(tape: Tape, x: Tensor): Tensor {
  return unary(tape, widen(tape, x), { keeps: 'input', allocates: 3 });
}

/** 1/√x: `-0.5 * grad * result.pow(3)`. */
export function rsqrt(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'result', allocates: 3 });
}

/** silu, gelu: a separate kernel in backward. */
export function activation(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'input', allocates: 1 });
}

/** torch.max(x, scalar tensor): `where(self == other, grad / 2, grad).masked_fill_(self < other, 0)`. */
export function floored(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = grad => {
      const equal = tape.empty(x.elements, 'bool');
      const result = tape.done(tape.like(x), tape.like(grad), equal);
      return [tape.done(result, tape.empty(x.elements, 'bool'))];
    };
  }
  return tape.done(tape.like(x, node), x);
}

/** torch.where(condition, x, number): x may be broadcast. Keeps the condition. */
export function where(tape: Tape, condition: Tensor, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  const choose = (dtype: Tensor['dtype'], from: Node | null): Tensor => {
    const other = tape.empty(1, dtype);
    return tape.done(tape.empty(elements, dtype, from), other);
  };
  const result = choose(x.dtype, node);
  if (node) {
    node.save(condition);
    node.backward = grad => [choose(grad.dtype, null)];
  }
  return tape.done(result, condition, x);
}

/**
 * torch.clamp(x, -limit, limit) with tensor limits: keeps all three; in backward masks of x's position, and
 * gradients for ties with the limits (derivatives.yaml, clamp.Tensor).
 */
export function clampTo(tape: Tape, x: Tensor, limit: Tensor): Tensor {
  const node = tape.record(x);
  const least = tape.empty(1, limit.dtype);
  if (node) {
    for (const kept of [x, least, limit]) node.save(kept);
    const bool = (): Tensor => tape.empty(x.elements, 'bool');
    node.backward = () => {
      const ties = [bool(), bool(), bool()];
      const inside = bool();
      for (const one of ties) tape.spend(one);
      const sides = [bool(), bool()];
      const outside = bool();
      for (const one of sides) tape.spend(one);
      const shares = [tape.like(x), tape.like(x)];
      const result = tape.like(x);
      for (const one of [...shares, outside, inside]) tape.spend(one);
      return [result];
    };
  }
  return tape.done(tape.like(x, node), x, least);
}

/** max(x, 0) keeps its result; before torch 1.10, its input. */
export function relu(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: tape.reluKeepsInput ? 'input' : 'result', allocates: 1 });
}

/** sigmoid keeps its result. */
export function sigmoid(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'result', allocates: 1 });
}

/** exp keeps its result. */
export function exp(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'result', allocates: 1 });
}

/** a - b: the gradient of b is a separate tensor. */
export function subtract(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  if (node) node.backward = grad => [a.node && grad, b.node && tape.like(b)];
  return tape.done(tape.empty(larger(a, b), promoted(a, b), node), a, b);
}

/** tanh keeps its result. */
export function tanh(tape: Tape, x: Tensor): Tensor {
  return unary(tape, x, { keeps: 'result', allocates: 1 });
}

/** Mean over rows of `size` elements. */
export function mean(tape: Tape, x: Tensor, size: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(x.elements / size, x.dtype, node), x);
}

/** Sums of `size` elements each. The gradient is expanded, not copied. */
export function rowSums(tape: Tape, x: Tensor, size: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [tape.view(grad, x.elements)];
  return tape.done(tape.empty(x.elements / size, x.dtype, node), x);
}

/** The sum of all elements. Its gradient is a scalar expanded to x, which the next matrix product has to copy. */
export function sum(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(1, x.dtype, node), x);
}

/** native_dropout: the result, and a boolean mask that is kept. The input itself at rate 0 and in evaluation. */
export function dropout(tape: Tape, x: Tensor, rate: number): Tensor {
  if (rate === 0 || tape.evaluates) return x;
  const node = tape.record(x);
  const result = tape.like(x, node);
  const mask = tape.empty(x.elements, 'bool');
  if (node) {
    node.save(mask);
    node.backward = () => [tape.like(x)];
  }
  tape.spend(mask);
  return tape.done(result, x);
}

/** torchvision ops/stochastic_depth.py, mode "row": times a number per image, which is 0 for some. */
export function stochasticDepth(tape: Tape, x: Tensor, images: number): Tensor {
  if (tape.evaluates) return x;
  return tape.call([x], () => {
    const noise = tape.name(tape.empty(images, x.dtype));
    return mul(tape, x, noise);
  });
}
