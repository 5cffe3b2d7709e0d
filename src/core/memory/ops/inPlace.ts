import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/*
 * Operations that overwrite their input (`relu_`, `+=`): the result is a view of it. If the derivative needs the
 * original input, autograd keeps a copy (tools/autograd/gen_variable_type.py).
 */

/** relu_: the derivative uses the result. */
export function reluInPlace(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.view(x, x.elements, node), x);
}

/** hardswish_, silu_, relu6_: the derivative uses the input. */
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

/** dropout_: multiplies by a mask of the input's dtype, and keeps it (aten Dropout.cpp). */
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
 * `base[..., a:] = value`: a copy into base's own memory. In backward a gradient of base's full size, a copy of the
 * overwritten part, and zeros for it (torch/csrc/autograd/functions/tensor.cpp, CopySlices).
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
