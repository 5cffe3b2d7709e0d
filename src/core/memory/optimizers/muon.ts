import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** Momentum of matrices, orthogonalised in bf16 (Newton–Schulz); AdamW for vectors. */
export const muon: Optimizer = {
  names: ['muon'],
  title: 'Muon',
  source: 'torch 2.15, torch/optim/_muon.py; vectors as torch/optim/adam.py, one after the other',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], parameter => {
      if (parameter.shape.length === 2) matrix(tape, parameter, first);
      else vector(tape, parameter, first);
    });
  },
};

/** _zeropower_via_newtonschulz: X, its Gram matrix A, A·A and their sum B, and the next X. */
function matrix(tape: Tape, { elements, dtype, shape }: Parameter, first: boolean): void {
  const small = Math.min(...shape) ** 2;
  if (first) state(tape, elements, dtype);
  const update = tape.empty(elements, dtype);
  const x = tape.empty(elements, 'bf16');
  const gram = tape.empty(small, 'bf16');
  const square = tape.empty(small, 'bf16');
  const next = tape.empty(elements, 'bf16');
  spendAll(tape, [update, x, gram, square, next]);
}

function vector(tape: Tape, { elements, dtype }: Parameter, first: boolean): void {
  if (first) for (let i = 0; i < 2; i++) state(tape, elements, dtype);
  spendAll(tape, [tape.empty(elements, dtype), tape.empty(elements, dtype)]);
}

function spendAll(tape: Tape, tensors: readonly Tensor[]): void {
  for (const tensor of tensors) tape.spend(tensor);
}
