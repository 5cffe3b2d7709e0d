import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/*
 * Communication among ranks that share the rows of a sequence (torch.distributed._functional_collectives). Keeps
 * nothing for backward, where each operation becomes the other.
 */

/** Gathers every rank's part of the tokens. */
export function allGather(tape: Tape, x: Tensor, ranks: number): Tensor {
  if (ranks === 1) return x;
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(x.elements * ranks, x.dtype, node), x);
}

/** Sums over the ranks; each rank gets its part of the tokens. */
export function reduceScatter(tape: Tape, x: Tensor, ranks: number): Tensor {
  if (ranks === 1) return x;
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.output('reduce-scatter', x.elements / ranks, x.dtype, node), x);
}
