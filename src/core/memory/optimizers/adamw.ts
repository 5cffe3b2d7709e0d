import { eachParameter, state, Variable } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

const SOURCE = 'torch 2.15, torch/optim/adam.py';

/** First and second moments, in the parameter's dtype. */
function moments(tape: Tape, parameter: Parameter): void {
  state(tape, parameter.elements, parameter.dtype);
  state(tape, parameter.elements, parameter.dtype);
}

/** All parameters at once, with the given number of lists of temporaries. */
function foreach(lists: number): Optimizer['step'] {
  return (tape, groups, first) => {
    if (first) eachParameter(tape, groups, [], parameter => moments(tape, parameter));
    const made: Tensor[] = [];
    for (let i = 0; i < lists; i++) {
      eachParameter(tape, groups, [], ({ elements, dtype }) => {
        made.push(tape.keep(tape.empty(elements, dtype)));
      });
    }
    for (const tensor of made) tape.release(tensor);
  };
}

/** Torch's default: one list of square roots, which become denominators in place. */
export const adamwForeach: Optimizer = {
  names: ['adamw_torch', 'adamw', 'adamw_foreach', 'adam'],
  title: 'AdamW (foreach)',
  source: `${SOURCE}, _multi_tensor_adam`,
  step: foreach(1),
};

/** Denominators are a second list next to the square roots. */
export const adamwForeachBefore21: Optimizer = {
  names: ['adamw_foreach_before_2_1'],
  title: 'AdamW (foreach, torch 2.0)',
  source:
    'torch 2.0.1, torch/optim/adamw.py, _multi_tensor_adamw: `denom = torch._foreach_add(exp_avg_sq_sqrt, eps)`',
  step: foreach(2),
};

/** One kernel without temporaries; step counters are on the device, one block per parameter. */
export const adamwFused: Optimizer = {
  names: ['adamw_torch_fused', 'adamw_fused', 'fused_adam', 'deepspeed_cpu_adam'],
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

/**
 * One parameter at a time; each denominator lives until the next one. Also transformers' own AdamW
 * (optimization.py).
 */
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

const SGD_SOURCE = 'torch 2.15, torch/optim/sgd.py';

/** In place, without states. */
export const sgd: Optimizer = {
  names: ['sgd'],
  title: 'SGD',
  source: SGD_SOURCE,
  step: () => undefined,
};

/** One momentum buffer: a copy of the first gradient. */
export const sgdMomentum: Optimizer = {
  names: ['sgd_momentum'],
  title: 'SGD with momentum',
  source: SGD_SOURCE,
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], ({ elements, dtype }) => state(tape, elements, dtype));
  },
};

/** AdamW for LoRA's second matrices, one at a time, with the gradient projected back. */
export const loraFa: Optimizer = {
  names: ['lora-fa', 'lorafa'],
  title: 'LoRA-FA',
  source: 'peft 0.21.2, optimizers/lorafa.py, LoraFAOptimizer.step',
  step(tape, groups, first) {
    if (first) {
      eachParameter(tape, groups, [], ({ elements, dtype }) => {
        for (let moment = 0; moment < 2; moment++) state(tape, elements, dtype);
      });
    }
    const [gradient, denominator] = [new Variable(tape), new Variable(tape)];
    eachParameter(tape, groups, [gradient, denominator], ({ elements, dtype }) => {
      gradient.set(tape.empty(elements, dtype));
      const root = tape.empty(elements, dtype);
      denominator.set(tape.done(tape.empty(elements, dtype), root));
    });
  },
};
