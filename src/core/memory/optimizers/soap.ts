import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter } from '../tensor';

/** Sides longer than this keep no preconditioner (max_precond_dim). */
const LONGEST = 10_000;

/** Preconditioners of a matrix' sides, and for each its eigenvectors. */
function sides({ shape }: Parameter): readonly number[] {
  return shape.length < 2 ? [] : shape.filter(size => size <= LONGEST).map(size => size * size);
}

function update(tape: Tape, parameter: Parameter, first: boolean, extra: number): void {
  const { elements, dtype } = parameter;
  if (first) {
    for (let i = 0; i < 2; i++) state(tape, elements, dtype);
    for (const size of sides(parameter)) for (let i = 0; i < extra; i++) state(tape, size, 'fp32');
  }
  const temporaries = [1, 2, 3].map(() => tape.empty(elements, dtype));
  for (const temporary of temporaries) tape.spend(temporary);
}

/** Adam in the eigenbasis of Shampoo's preconditioners: moments, and two matrices for each side. */
export const soap: Optimizer = {
  names: ['soap'],
  title: 'SOAP',
  source: 'nikhilvyas/SOAP 0.1, soap.py: exp_avg, exp_avg_sq, GG, Q',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], parameter => update(tape, parameter, first, 2));
  },
};

/** A preconditioner and its inverse root for each side, momentum and the grafted step's moments. */
export const shampoo: Optimizer = {
  names: ['shampoo'],
  title: 'Shampoo',
  source:
    'facebookresearch/optimizers 0.1, distributed_shampoo/distributed_shampoo.py: factor matrices and inverses, grafting moments',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], parameter => update(tape, parameter, first, 2));
  },
};
