import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tensor } from '../tensor';

/** Without momentum, as by default: an average of squares; a step takes a list of square roots of all of them. */
export const rmsprop: Optimizer = {
  names: ['rmsprop'],
  title: 'RMSprop (foreach)',
  source:
    'torch 2.15, torch/optim/rmsprop.py, _multi_tensor_rmsprop: `avg = torch._foreach_sqrt(grouped_square_avgs)`',
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], ({ elements, dtype }) => state(tape, elements, dtype));
    const roots: Tensor[] = [];
    eachParameter(tape, groups, [], ({ elements, dtype }) => {
      roots.push(tape.keep(tape.empty(elements, dtype)));
    });
    for (const root of roots) tape.release(root);
  },
};
