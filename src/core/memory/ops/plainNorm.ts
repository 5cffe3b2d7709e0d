import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { widen } from '../transforms/autocast';

/** LayerNorm without weights: keeps its input, and two fp32 numbers for each row of `width`. Autocast runs it in fp32. */
export function plainLayerNorm(tape: Tape, input: Tensor, width: number): Tensor {
  return tape.call([input], () => {
    const x = tape.name(widen(tape, input));
    const node = tape.record(x);
    const result = tape.like(x, node);
    const statistics = [0, 1].map(() => tape.name(tape.empty(x.elements / width, 'fp32')));
    if (node) {
      for (const kept of [x, ...statistics]) node.save(kept);
      node.backward = () => [tape.like(x)];
    }
    return result;
  });
}
