import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** Momentum of matrices, orthogonalized in bf16 (Newton–Schulz); AdamW for embeddings, heads and vectors. */
export const muon: Optimizer = {
  names: ['muon'],
  title: 'Muon',
  source:
    'torch 2.15.0, torch/optim/_muon.py; what is not a matrix: axolotl-contribs-mit 0.0.6, muon/muon.py (AdamW backup)',
  step(tape, groups, first) {
    const update = new Variable(tape);
    eachParameter(tape, groups, [update], parameter => {
      if (parameter.shape.length === 2 && !parameter.table) matrix(tape, parameter, first);
      else adamw(tape, parameter, update, first);
    });
  },
};

/** _zeropower_via_newtonschulz: the update, X, its Gram matrix, b·A + c·A², and the next X. */
function matrix(tape: Tape, { elements, dtype, shape }: Parameter, first: boolean): void {
  const small = Math.min(...shape) ** 2;
  if (first) state(tape, elements, dtype);
  const update = tape.empty(elements, dtype);
  const x = tape.empty(elements, 'bf16');
  const gram = tape.empty(small, 'bf16');
  const both = tape.empty(small, 'bf16');
  const next = tape.empty(elements, 'bf16');
  spendAll(tape, [update, x, gram, both, next]);
}

/** `g = buf1 / (eps + buf2.sqrt())`: the last g is freed when the loop takes the next gradient. */
function adamw(tape: Tape, { elements, dtype }: Parameter, update: Variable, first: boolean): void {
  if (first) for (let i = 0; i < 2; i++) state(tape, elements, dtype);
  update.clear();
  const root = tape.empty(elements, dtype);
  const denominator = tape.done(tape.empty(elements, dtype), root);
  update.set(tape.done(tape.empty(elements, dtype), denominator));
}

function spendAll(tape: Tape, tensors: readonly Tensor[]): void {
  for (const tensor of tensors) tape.spend(tensor);
}
