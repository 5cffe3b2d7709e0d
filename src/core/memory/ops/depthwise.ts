import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** A causal convolution of each channel by itself: keeps its input and its few weights; the padded end is cut off. */
export function causalConvolution(tape: Tape, x: Tensor, weight: Parameter): Tensor {
  const node = tape.record(x, weight);
  if (node) {
    node.save(x);
    if (x.node) node.save(weight);
    node.backward = () => {
      const ofInput = x.node && tape.like(x);
      return [ofInput, weight.node && tape.like(weight)];
    };
  }
  return tape.done(tape.like(x, node), x);
}
