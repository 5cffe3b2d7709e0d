import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

const SOURCE = 'torch 2.15, torch/optim/adam.py';

/** First and second moment, in the parameter's dtype. */
function moments(tape: Tape, parameter: Parameter): void {
  state(tape, parameter.elements, parameter.dtype);
  state(tape, parameter.elements, parameter.dtype);
}

/** Torch's default: all parameters at once, with one list of square roots beside them. */
export const adamwForeach: Optimizer = {
  names: ['adamw_torch', 'adamw', 'adamw_foreach', 'adam'],
  title: 'AdamW (foreach)',
  source: `${SOURCE}, _multi_tensor_adam`,
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], parameter => moments(tape, parameter));
    const roots: Tensor[] = [];
    eachParameter(tape, groups, [], ({ elements, dtype }) =>
      roots.push(tape.keep(tape.empty(elements, dtype))),
    );
    for (const root of roots) tape.letGo(root);
  },
};

/** One kernel, no temporaries; step counters are on the device, a block for each parameter. */
export const adamwFused: Optimizer = {
  names: ['adamw_torch_fused', 'adamw_fused'],
  title: 'AdamW (fused)',
  source: `${SOURCE}, _fused_adam`,
  step(tape, groups, first) {
    if (!first) return;
    eachParameter(tape, groups, [], parameter => {
      state(tape, 1, 'fp32');
      moments(tape, parameter);
    });
  },
};

/** One parameter after the other; each denominator lives until the next one. So does transformers' own (optimization.py). */
export const adamwLoop: Optimizer = {
  names: ['adamw_loop', 'adamw_hf'],
  title: 'AdamW (for-loop)',
  source: `${SOURCE}, _single_tensor_adam`,
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], parameter => moments(tape, parameter));
    const denominator = new Variable(tape);
    eachParameter(tape, groups, [denominator], parameter => {
      const root = tape.empty(parameter.elements, parameter.dtype);
      denominator.set(tape.done(tape.empty(parameter.elements, parameter.dtype), root));
    });
  },
};
