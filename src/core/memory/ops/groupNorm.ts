import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { widen } from '../transforms/autocast';

/** A GroupNorm's parameters, and how many groups of maps a batch has. */
export interface GroupNorm {
  readonly weight: Parameter;
  readonly bias: Parameter;
  readonly groups: number;
}

/** native_group_norm: keeps its input, and mean and reciprocal deviation of each group. Autocast runs it in fp32. */
export function groupNorm(tape: Tape, input: Tensor, { weight, bias, groups }: GroupNorm): Tensor {
  return tape.call([input], () => {
    const wide = (x: Tensor): Tensor => tape.name(widen(tape, x));
    const inputs = [wide(input), wide(weight), wide(bias)];
    const [x = input] = inputs;
    const node = tape.record(...inputs);
    const result = tape.like(x, node);
    const statistics = [tape.name(tape.empty(groups, x.dtype)), tape.name(tape.empty(groups, x.dtype))];
    if (node) {
      for (const kept of [x, weight, ...statistics]) node.save(kept);
      node.backward = () => inputs.map(of => of.node && tape.like(of));
    }
    return result;
  });
}
