import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { widen } from '../transforms/autocast';

/** Weight and bias of a LayerNorm. */
export interface LayerNorm {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
}

/**
 * native_layer_norm: keeps its input, and mean and reciprocal deviation of each row in fp32. Autocast runs it in fp32.
 * What lies `by head` it copies into order for itself, in both directions (layer_norm_kernel.cu, expect_contiguous).
 */
export function layerNorm(
  tape: Tape,
  input: Tensor,
  { weight, bias }: LayerNorm,
  layout: 'in order' | 'by head' = 'in order',
): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const wide = (x: Tensor): Tensor => tape.name(widen(tape, x));
    const b = bias && wide(bias);
    const w = wide(weight);
    const x = wide(input);
    const node = b ? tape.record(x, w, b) : tape.record(x, w);
    if (layout === 'by head') tape.name(tape.like(x));
    const result = tape.like(x, node);
    const rows = x.elements / width;
    const statistics = [tape.name(tape.empty(rows, 'fp32')), tape.name(tape.empty(rows, 'fp32'))];
    if (node) {
      for (const kept of [x, w, ...(b ? [b] : []), ...statistics]) node.save(kept);
      const gradient = (of: Tensor): Tensor | null => of.node && tape.like(of);
      node.backward = () => {
        const ordered = layout === 'by head' ? tape.like(x) : null;
        const gradients = (b ? [x, w, b] : [x, w]).map(gradient);
        if (ordered) tape.spend(ordered);
        return gradients;
      };
    }
    return result;
  });
}
