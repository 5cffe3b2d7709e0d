import type { Builder } from '../../modules';
import { activation, add, mul, shift } from '../../ops/pointwise';
import { split } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';

/** What the time step makes of its embedding for one norm: as many vectors of `size` a row as are asked for. */
export type Modulations = (tape: Tape, time: Tensor) => readonly Tensor[];

/** `linear(silu(temb)).chunk(count)` */
export function buildModulations(
  builder: Builder,
  name: string,
  sizes: { readonly from: number; readonly size: number; readonly count: number; readonly bias?: boolean },
): Modulations {
  const { from, size, count, bias = true } = sizes;
  const linear = builder.linear({ name, inputs: from, outputs: count * size, bias });
  return (tape, time) => {
    const all = linear(tape, activation(tape, time));
    return split(
      tape,
      all,
      Array.from({ length: count }, () => all.elements / count),
    );
  };
}

/** `x * (1 + scale) + shift` */
export function modulate(tape: Tape, x: Tensor, factor: Tensor, offset: Tensor): Tensor {
  return add(tape, mul(tape, x, shift(tape, factor)), offset);
}
