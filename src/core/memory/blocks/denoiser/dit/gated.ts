import type { Builder, Step } from '../../../modules';
import { activation, add, mul } from '../../../ops/pointwise';
import { split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';

/** `x + gate * change` */
export function gatedSum(tape: Tape, x: Tensor, gate: Tensor, change: Tensor): Tensor {
  return add(tape, x, mul(tape, gate, change));
}

interface GatedMlpShape {
  readonly width: number;
  readonly inner: number;
  readonly bias: boolean;
  /** Names of the layer that computes both halves, and of the one after them. */
  readonly names: readonly [up: string, down: string];
}

/** A gated MLP whose gate and values are halves of one product. */
export function buildHalvedMlp(builder: Builder, { width, inner, bias, names }: GatedMlpShape): Step {
  const up = builder.linear({ name: names[0], inputs: width, outputs: 2 * inner, bias });
  const down = builder.linear({ name: names[1], inputs: inner, outputs: width, bias });
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(up(tape, x));
      return down(tape, tape.rename(states, halves(tape, states)));
    });
}

/** `silu(first half) * second half` */
export function halves(tape: Tape, x: Tensor): Tensor {
  return tape.call([x], () => {
    const [gate = x, values = x] = split(tape, x, [x.elements / 2, x.elements / 2]);
    for (const one of [gate, values]) tape.name(one);
    return mul(tape, activation(tape, gate), values);
  });
}
