import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { lower } from '../transforms/autocast';

/** Weight and bias of a convolution. */
export interface Kernel {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
}

/**
 * A convolution that gives `elements`; autocast runs it in 16 bits. Keeps input and weight, and backwards makes all its
 * gradients at once (tools/autograd/derivatives.yaml, convolution). Workspaces of cuDNN are not counted.
 */
export function convolution(tape: Tape, input: Tensor, { weight, bias }: Kernel, elements: number): Tensor {
  return tape.call([input], () => {
    const b = bias && tape.name(lower(tape, bias));
    const w = tape.name(lower(tape, weight));
    const x = tape.name(lower(tape, input));
    const inputs = b ? [x, w, b] : [x, w];
    const node = tape.record(...inputs);
    if (node) {
      node.save(x);
      node.save(w);
      node.backward = () => inputs.map(of => of.node && tape.like(of));
    }
    return tape.empty(elements, x.dtype, node);
  });
}
