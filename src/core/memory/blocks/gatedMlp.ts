import type { Builder, Linear } from '../modules';
import { fusedGate } from '../ops/fused';
import { activation, mul } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

export interface GatedMlp {
  readonly gate: Linear;
  readonly up: Linear;
  readonly down: Linear;
}

/** LlamaMLP's layers. */
export function buildGatedMlp(
  builder: Builder,
  hidden: number,
  intermediate: number,
  bias: boolean,
): GatedMlp {
  return {
    gate: builder.linear({ name: 'gate_proj', inputs: hidden, outputs: intermediate, bias }),
    up: builder.linear({ name: 'up_proj', inputs: hidden, outputs: intermediate, bias }),
    down: builder.linear({ name: 'down_proj', inputs: intermediate, outputs: hidden, bias }),
  };
}

/** down(act(gate(x)) · up(x)). */
export function gatedMlp(tape: Tape, x: Tensor, { gate, up, down }: GatedMlp, fused: boolean): Tensor {
  return tape.call([x], () => {
    if (fused) return down(tape, fusedGate(tape, gate(tape, x), up(tape, x)));
    const gated = activation(tape, gate(tape, x));
    return down(tape, mul(tape, gated, up(tape, x)));
  });
}
