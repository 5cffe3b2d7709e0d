import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';

const SOURCE = 'torch 2.15, torch/optim/sgd.py';

/** In place, without states. */
export const sgd: Optimizer = {
  names: ['sgd'],
  title: 'SGD',
  source: SOURCE,
  step: () => undefined,
};

/** One momentum buffer: a copy of the first gradient. */
export const sgdMomentum: Optimizer = {
  names: ['sgd_momentum'],
  title: 'SGD with momentum',
  source: SOURCE,
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], ({ elements, dtype }) => state(tape, elements, dtype));
  },
};
