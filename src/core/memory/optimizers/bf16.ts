import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';

/** Moments in bf16 whatever the weights are; the update is made parameter by parameter. */
export const anyprecision: Optimizer = {
  names: ['adamw_anyprecision', 'adamw_bf16'],
  title: 'AdamW with bf16 states',
  source:
    'torchdistx 0.2, optimizers/anyprecision_optimizer.py (momentum and variance in bf16, no Kahan buffer)',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], ({ elements }) => {
      if (first) for (let i = 0; i < 2; i++) state(tape, elements, 'bf16');
      tape.spend(tape.empty(elements, 'bf16'));
    });
  },
};

/** One kernel for all, as torch's fused AdamW, with a momentum in the parameter's dtype (optimi, lion.py). */
export const optimiLion: Optimizer = {
  names: ['optimi_lion'],
  title: 'Lion (optimi)',
  source: 'optimi 0.2, lion.py: exp_avg, and a Kahan compensation where weights are 16-bit',
  step(tape, groups, first) {
    if (!first) return;
    eachParameter(tape, groups, [], ({ elements, dtype }) => {
      state(tape, elements, dtype);
      if (dtype !== 'fp32') state(tape, elements, dtype);
    });
  },
};
