import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** native_dropout: the result, and a boolean mask that is kept. At rate 0, and in evaluation, the input itself. */
export function dropout(tape: Tape, x: Tensor, rate: number): Tensor {
  if (rate === 0 || tape.evaluates) return x;
  const node = tape.record(x);
  const result = tape.like(x, node);
  const mask = tape.empty(x.elements, 'bool');
  if (node) {
    node.save(mask);
    node.backward = () => [tape.like(x)];
  }
  tape.spend(mask);
  return tape.done(result, x);
}
