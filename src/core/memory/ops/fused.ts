import type { Tape } from '../tape';
import { savedIn } from '../tensor';
import type { Parameter, Tensor } from '../tensor';

/*
 * Triton kernels instead of a model's own code (unsloth's, and Liger's, which are based on them). Each keeps its
 * inputs and overwrites them with gradients.
 */

/** RMSNorm: keeps its input and one fp32 number per row; in backward dX overwrites dY. */
export function fusedRmsNorm(tape: Tape, x: Tensor, weight: Parameter): Tensor {
  const [width = 1] = weight.shape;
  const node = tape.record(x, weight);
  const rows = tape.empty(x.elements / width, 'fp32');
  if (node) {
    for (const kept of [x, weight, rows]) node.save(kept);
    node.backward = grad => [x.node && grad, weight.node && tape.like(weight)];
  }
  tape.spend(rows);
  return tape.done({ ...tape.like(x, node), cheap: true }, x);
}

/** Rotary embedding in place, in forward and backward. */
export function fusedRotary(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  return tape.done(tape.view(x, x.elements, node), x);
}

/** silu(gate) · up in one kernel: keeps both; in backward their gradients overwrite them. */
export function fusedGate(tape: Tape, gate: Tensor, up: Tensor): Tensor {
  const node = tape.record(gate, up);
  if (node) {
    node.save(gate);
    node.save(up);
    // Under a checkpoint these are the tensors that its second run made.
    node.backward = () => {
      const [ofUp = up.storage, ofGate = gate.storage] = savedIn(node);
      return [
        gate.node && tape.view({ ...gate, storage: ofGate }, gate.elements),
        up.node && tape.view({ ...up, storage: ofUp }, up.elements),
      ];
    };
  }
  return tape.done({ ...tape.like(gate, node), cheap: true }, gate, up);
}
