import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { widen } from '../transforms/autocast';

/**
 * torch.nn.RMSNorm as one kernel (aten _fused_rms_norm): keeps its input, its weight and one fp32 number a row. Autocast
 * runs it in fp32 (aten/src/ATen/autocast_mode.h).
 */
export function rmsNormKernel(tape: Tape, input: Tensor, weight: Parameter): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const w = tape.name(widen(tape, weight));
    const x = tape.name(widen(tape, input));
    const node = tape.record(x, w);
    const result = tape.like(x, node);
    const deviations = tape.name(tape.empty(x.elements / width, 'fp32'));
    if (node) {
      for (const kept of [x, w, deviations]) node.save(kept);
      node.backward = () => [x.node && tape.like(x), w.node && tape.like(w)];
    }
    return result;
  });
}
