import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tensor } from '../tensor';

/** States of a parameter's size, and lists of such tensors that a step has besides. */
interface Kept {
  readonly states: number;
  readonly lists: number;
}

function ofSquares(name: string, title: string, source: string, { states, lists }: Kept): Optimizer {
  return {
    names: [name],
    title: `${title} (foreach)`,
    source,
    step(tape, groups, first) {
      eachParameter(tape, groups, [], ({ elements, dtype }) => {
        for (let one = 0; first && one < states; one++) state(tape, elements, dtype);
      });
      const taken: Tensor[] = [];
      for (let list = 0; list < lists; list++) {
        eachParameter(tape, groups, [], ({ elements, dtype }) => {
          taken.push(tape.keep(tape.empty(elements, dtype)));
        });
      }
      for (const tensor of taken) tape.release(tensor);
    },
  };
}

/** Without momentum, as by default: an average of squares. */
export const rmsprop: Optimizer = ofSquares(
  'rmsprop',
  'RMSprop',
  'torch 2.15, torch/optim/rmsprop.py, _multi_tensor_rmsprop: `avg = torch._foreach_sqrt(grouped_square_avgs)`',
  { states: 1, lists: 1 },
);

/** A sum of squares; a step also scales the gradients. */
export const adagrad: Optimizer = ofSquares(
  'adagrad',
  'Adagrad',
  'torch 2.7.1, torch/optim/adagrad.py, _multi_tensor_adagrad: `std = torch._foreach_sqrt(device_state_sums)`, `numerator = torch._foreach_mul(device_grads, minus_clr)`',
  { states: 1, lists: 2 },
);

/** Averages of squared gradients and of squared steps. */
export const adadelta: Optimizer = ofSquares(
  'adadelta',
  'Adadelta',
  'torch 2.7.1, torch/optim/adadelta.py, _multi_tensor_adadelta: `std = torch._foreach_add(device_square_avgs, eps)`, `deltas = torch._foreach_add(device_acc_deltas, eps)`',
  { states: 2, lists: 2 },
);
