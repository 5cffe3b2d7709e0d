import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import { lower } from '../transforms/autocast';
import { notesConvolution } from '../work';

/** Weight and bias; the weight may be computed from others. */
interface Weights {
  readonly weight: Tensor;
  readonly bias: Tensor | null;
}

/** Weight and bias of a convolution. */
interface Kernel extends Weights {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  /** Elements of cuDNN's workspace if Winograd's transformation is possible. */
  readonly transformed?: number;
}

/**
 * A convolution with `elements` outputs; autocast runs it in 16 bits. Keeps input and weight, and computes all
 * gradients at once in backward (tools/autograd/derivatives.yaml, convolution).
 */
export function convolution(tape: Tape, input: Tensor, kernel: Kernel, elements: number): Tensor {
  return convolutionBy(tape, input, kernel, elements);
}

/** The same with a weight that is computed in the pass. */
export function convolutionBy(
  tape: Tape,
  input: Tensor,
  kernel: Weights & Pick<Kernel, 'transformed'>,
  elements: number,
): Tensor {
  const { weight, bias } = kernel;
  return tape.call([input], () => {
    const b = bias && tape.name(lower(tape, bias));
    const w = tape.name(lower(tape, weight));
    const x = tape.name(lower(tape, input));
    const inputs = b ? [x, w, b] : [x, w];
    const node = tape.record(...inputs);
    const result = tape.empty(elements, x.dtype, node);
    notesConvolution(tape, node, sizesOf(kernel, elements), [x, w]);
    transform(tape, kernel, x);
    if (node) {
      node.save(x);
      node.save(w);
      node.backward = () => {
        const gradients = inputs.map(of => of.node && tape.like(of));
        transform(tape, kernel, x);
        return gradients;
      };
    }
    return result;
  });
}

/** Output positions, weights of an output channel, and channels; a weight without a shape counts as one channel's. */
function sizesOf({ weight }: Weights, elements: number): [number, number, number] {
  const [channels = 1] = 'shape' in weight ? (weight as Parameter).shape : [];
  return [elements / channels, weight.elements / channels, channels];
}

/** cuDNN's 16-bit kernels multiply on tensor cores, without a transformation. */
function transform(tape: Tape, { transformed = 0 }: Pick<Kernel, 'transformed'>, input: Tensor): void {
  const { dtype, elements } = input;
  if (tape.copiesInputs) tape.spend(tape.workspace(elements * bytesPer(dtype)));
  if (!tape.usesCudnn || transformed === 0 || dtype !== 'fp32') return;
  tape.spend(tape.workspace(transformed * bytesPer(dtype)));
}

/** A causal depthwise convolution: keeps its input and its few weights; cuts off the padded end. */
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
