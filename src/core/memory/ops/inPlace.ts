import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/*
 * Operations that write over their input (`relu_`, `+=`): what they give is a view of it. Where the derivative wants the
 * input as it was, autograd keeps a copy (tools/autograd/gen_variable_type.py).
 */

/** relu_: the derivative takes the result. */
export function reluInPlace(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.view(x, x.elements, node), x);
}

/** hardswish_, silu_, relu6_: the derivative takes the input. */
export function activationInPlace(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    const input = tape.like(x);
    node.save(input);
    tape.spend(input);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.view(x, x.elements, node), x);
}

/** `x += other` */
export function addInPlace(tape: Tape, x: Tensor, other: Tensor): Tensor {
  const node = tape.record(x, other);
  if (node) node.backward = grad => [x.node && grad, other.node && grad];
  return tape.done(tape.view(x, x.elements, node), x, other);
}

/** dropout_: multiplied by a mask of the input's dtype, which is kept (aten Dropout.cpp). */
export function dropoutInPlace(tape: Tape, x: Tensor, rate: number): Tensor {
  if (rate === 0 || tape.evaluates) return x;
  const node = tape.record(x);
  const mask = tape.like(x);
  if (node) {
    node.save(mask);
    node.backward = () => [tape.like(x)];
  }
  tape.spend(mask);
  return tape.done(tape.view(x, x.elements, node), x);
}

/**
 * `base[..., a:] = value`: a copy into base's own memory. Backwards a gradient of base as large as all of it, a copy of
 * the part that was overwritten, and zeros for it (torch/csrc/autograd/functions/tensor.cpp, CopySlices).
 */
export function assign(tape: Tape, base: Tensor, value: Tensor): Tensor {
  const node = tape.record(base, value);
  if (node) {
    node.backward = grad => {
      const whole = tape.empty(base.elements, grad.dtype);
      const part = tape.empty(value.elements, grad.dtype);
      tape.spend(tape.empty(value.elements, grad.dtype));
      if (base.node === null) tape.spend(whole);
      if (value.node === null) tape.spend(part);
      return [base.node && whole, value.node && part];
    };
  }
  return tape.done(tape.view(base, base.elements, node), base, value);
}
