import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';

/** AdamW for LoRA's second matrices, one after the other, with the gradient projected back. */
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
