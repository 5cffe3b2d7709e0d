import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { to } from './cast';
import { notesProduct, productOf } from '../work';

/** The largest elements of each row, and their positions. Backward scatters the gradient into zeros of x's size. */
export function topK(tape: Tape, x: Tensor, elements: number): readonly [values: Tensor, indices: Tensor] {
  const node = tape.record(x);
  const values = tape.empty(elements, x.dtype, node);
  const indices = tape.empty(elements, 'int64');
  if (node) {
    node.save(indices);
    node.backward = grad => {
      const zeros = tape.empty(x.elements, grad.dtype);
      return [tape.done(tape.empty(x.elements, grad.dtype), zeros)];
    };
  }
  tape.spend(x);
  return [values, indices];
}

/**
 * `x /= sums` in place, so that autograd keeps a copy of x; in backward `-grad * ((x / sums) / sums)` for the sums
 * (torch's derivatives.yaml, div_tensor_other_grad).
 */
export function divideInPlace(tape: Tape, x: Tensor, sums: Tensor): Tensor {
  const node = tape.record(x, sums);
  if (node) {
    const before = tape.like(x);
    node.save(before);
    node.save(sums);
    tape.spend(before);
    node.backward = () => {
      const temporaries = [tape.like(x), tape.like(x), tape.like(x)];
      const ofSums = tape.like(x);
      for (const temporary of temporaries) tape.spend(temporary);
      return [tape.like(x), ofSums];
    };
  }
  return tape.done(tape.view(x, x.elements, node), x, sums);
}

/**
 * torch's grouped_mm: rows, sorted by expert, times their expert's matrix. Autocast does not support it: the input
 * is cast to the weight's dtype (transformers, integrations/moe.py).
 */
export function groupedMatmul(
  tape: Tape,
  input: Tensor,
  weight: Tensor & Pick<Parameter, 'shape'>,
  offsets: Tensor,
): Tensor {
  const [experts = 1, outputs = 1, inputs = 1] = weight.shape;
  const x = to(tape, input, weight.dtype);
  const node = tape.record(x, weight);
  if (node) {
    if (weight.node) node.save(x);
    if (x.node) node.save(weight);
    node.save(offsets);
    node.backward = () => {
      const ofWeight = weight.node && tape.like(weight);
      return [x.node && tape.like(x), ofWeight];
    };
  }
  notesProduct(tape, node, productOf(x, [outputs, inputs], experts), [x, weight]);
  return tape.done(tape.empty((x.elements / inputs) * outputs, x.dtype, node), x);
}

/** Sums of `size` rows each. Copies the expanded gradient into rows. */
export function groupSums(tape: Tape, x: Tensor, size: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(x.elements / size, x.dtype, node), x);
}
