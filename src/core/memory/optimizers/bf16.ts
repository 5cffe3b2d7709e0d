import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** Moments in fp32 whatever the weights' dtype, which transformers requests by default (optim_args). */
export const anyprecision: Optimizer = {
  names: ['adamw_anyprecision'],
  title: 'AnyPrecisionAdamW',
  source:
    'torchdistx 9c1b9f5 (after 0.2.0), optimizers/anyprecision_optimizer.py; dtypes: transformers 5.23.0, trainer_optimizer.py, _get_adamw_anyprecision',
  step(tape, groups, first) {
    const centered = new Variable(tape);
    eachParameter(tape, groups, [centered], ({ elements }) => {
      if (first) for (let i = 0; i < 2; i++) state(tape, elements, 'fp32');
      const root = tape.empty(elements, 'fp32');
      centered.set(tape.done(tape.empty(elements, 'fp32'), root));
    });
  },
};

/**
 * Both moments and the rounding error in bf16; each stochastic rounding takes an fp32 copy and as many int32
 * elements.
 */
export const adamwBf16: Optimizer = {
  names: ['adamw_bf16'],
  title: 'AdamW with bf16 states',
  source:
    'SimpleTuner bc8e6ab77 (4.8), training/optimizers/adamw_bfloat16/__init__.py and stochastic/__init__.py',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], ({ elements }) => {
      if (first) for (let i = 0; i < 3; i++) state(tape, elements, 'bf16');
      const root = tape.empty(elements, 'bf16');
      const wide = tape.empty(elements, 'fp32');
      const random = tape.empty(elements, 'int32');
      for (const tensor of [root, wide, random]) tape.spend(tensor);
    });
  },
};

/** Momentum and, for 16-bit weights, a Kahan compensation; a list of all updates during the step. */
export const optimiLion: Optimizer = {
  names: ['optimi_lion'],
  title: 'Lion (optimi)',
  source:
    'torch-optimi 0.3.3, optimi/lion.py, _foreach_lion; foreach and kahan_sum: SimpleTuner bc8e6ab77, training/optimizer_param.py',
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], parameter => momentum(tape, parameter));
    const updates: Tensor[] = [];
    eachParameter(tape, groups, [], ({ elements, dtype }) =>
      updates.push(tape.keep(tape.empty(elements, dtype))),
    );
    for (const update of updates) tape.release(update);
  },
};

function momentum(tape: Tape, { elements, dtype }: Parameter): void {
  state(tape, elements, dtype);
  if (dtype !== 'fp32') state(tape, elements, dtype);
}
