import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

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
