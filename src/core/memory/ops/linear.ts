import type { Tape } from '../tape';
import { lower } from '../transforms/autocast';
import { add } from './pointwise';
import type { Parameter, Tensor } from '../tensor';
import { notesProduct, productOf } from '../work';

/** x · Wᵀ (+ b) with the flattened input: `mm`, or `addmm` with a bias. */
export function linear(tape: Tape, x: Tensor, weight: Parameter, bias: Parameter | null): Tensor {
  if (tape.autocast === null) return matmul(tape, x, weight, bias, weight.shape);
  return tape.call([x], () => {
    const [b, w] = [bias && lower(tape, bias), lower(tape, weight)];
    return matmul(tape, lower(tape, x), w, b, weight.shape);
  });
}

/** `x @ W.T`, then `+ b` out of place: a view of the weight, which autocast casts each time. */
export function transposedLinear(tape: Tape, x: Tensor, weight: Parameter, bias: Parameter | null): Tensor {
  return tape.call([x], () => {
    const node = tape.record(weight);
    if (node) node.backward = grad => [grad];
    const turned = tape.view(weight, weight.elements, node);
    const input = lower(tape, x);
    const product = tape.name(matmul(tape, input, lower(tape, turned), null, weight.shape));
    return bias ? add(tape, product, bias) : product;
  });
}

/** Compiled layers recompute norms and gates from their inputs (torch's partitioner: fusible operations). */
const cheapToMake = (tape: Tape, x: Tensor): boolean => tape.compiled && x.cheap === true;

/** The matrix product itself; `shape` is the weight's `[out, in]`. */
export function matmul(
  tape: Tape,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  shape: readonly number[],
): Tensor {
  const [outputs = 0, inputs = 0] = shape;
  const node = bias ? tape.record(x, weight, bias) : tape.record(x, weight);
  if (node) {
    const again = weight.node !== null && cheapToMake(tape, x);
    if (weight.node && !again) node.save(x);
    if (x.node) node.save(weight);
    const gradient = (grad: Tensor, input: Tensor): Tensor | null =>
      input.node && tape.empty(input.elements, grad.dtype);
    node.backward = grad => {
      if (again) tape.spend(tape.like(x));
      if (bias) return [gradient(grad, x), gradient(grad, weight), bias.node && grad];
      const ofWeight = gradient(grad, weight);
      return [gradient(grad, x), ofWeight];
    };
  }
  const result = tape.output('product', (x.elements / inputs) * outputs, x.dtype, node);
  notesProduct(tape, node, productOf(x, shape), [x, weight]);
  return bias ? tape.done(result, x, weight, bias) : tape.done(result, x, weight);
}

/**
 * `torch.baddbmm(zeros, a, b, alpha=…)`: keeps both factors; each gradient is a product and a scaled copy
 * (derivatives.yaml, baddbmm).
 */
export function scaledProduct(tape: Tape, a: Tensor, b: Tensor, elements: number): Tensor {
  const node = tape.record(a, b);
  if (node) {
    if (b.node) node.save(a);
    if (a.node) node.save(b);
    const gradient = (of: Tensor): Tensor | null => of.node && tape.done(tape.like(of), tape.like(of));
    node.backward = () => {
      const ofFirst = gradient(a);
      return [ofFirst, gradient(b)];
    };
  }
  return tape.done(tape.empty(elements, a.dtype, node), a, b);
}
