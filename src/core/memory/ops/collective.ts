import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/*
 * What ranks that share the rows of one sequence exchange (torch.distributed._functional_collectives). None of it keeps
 * anything for backward, where each is the other.
 */

/** Every rank's part of the tokens becomes all of them. */
export function allGather(tape: Tape, x: Tensor, ranks: number): Tensor {
  if (ranks === 1) return x;
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(x.elements * ranks, x.dtype, node), x);
}

/** Sums over the ranks, of which each gets its part of the tokens. */
export function reduceScatter(tape: Tape, x: Tensor, ranks: number): Tensor {
  if (ranks === 1) return x;
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.output('reduce-scatter', x.elements / ranks, x.dtype, node), x);
}
