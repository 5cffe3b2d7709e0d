import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/**
 * `torch.baddbmm(zeros, a, b, alpha=…)`: keeps both factors; each gradient is a product and, multiplied, another tensor
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
