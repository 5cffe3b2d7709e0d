import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/**
 * torch._weight_norm: a weight made of directions and lengths, with a norm for each length; keeps all three, and backwards
 * makes both gradients at once (derivatives.yaml, _weight_norm_interface).
 */
export function weightNorm(tape: Tape, directions: Parameter, lengths: Parameter): Tensor {
  const node = tape.record(directions, lengths);
  const weight = tape.empty(directions.elements, directions.dtype, node);
  const norms = tape.empty(lengths.elements, 'fp32');
  if (node) {
    for (const kept of [directions, lengths, norms]) node.save(kept);
    node.backward = () => [tape.like(directions), tape.like(lengths)];
  }
  tape.spend(norms);
  return weight;
}
