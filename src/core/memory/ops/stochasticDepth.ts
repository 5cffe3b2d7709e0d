import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { mul } from './pointwise';

/** torchvision ops/stochastic_depth.py, mode "row": times a number for each image, of which some are 0. */
export function stochasticDepth(tape: Tape, x: Tensor, images: number): Tensor {
  if (tape.evaluates) return x;
  return tape.call([x], () => {
    const noise = tape.name(tape.empty(images, x.dtype));
    return mul(tape, x, noise);
  });
}
