import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** max_pool2d_with_indices: keeps its input, and where each maximum was, as int64. */
export function maxPool(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  const result = tape.empty(elements, x.dtype, node);
  const indices = tape.empty(elements, 'int64');
  if (node) {
    node.save(x);
    node.save(indices);
    node.backward = () => [tape.like(x)];
  }
  tape.spend(indices);
  return tape.done(result, x);
}

/** avg_pool2d, adaptive_avg_pool2d: keep their input. */
export function averagePool(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(elements, x.dtype, node), x);
}
