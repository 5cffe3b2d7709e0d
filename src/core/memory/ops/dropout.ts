import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { mul } from './pointwise';

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

/** torchvision ops/stochastic_depth.py, mode "row": times a number for each image, of which some are 0. */
export function stochasticDepth(tape: Tape, x: Tensor, images: number): Tensor {
  if (tape.evaluates) return x;
  return tape.call([x], () => {
    const noise = tape.name(tape.empty(images, x.dtype));
    return mul(tape, x, noise);
  });
}
