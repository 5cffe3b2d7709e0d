import { Variable, eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';

/** Composer's AdamW: both moments and a step counter on the device; one parameter at a time. */
export const decoupledAdamW: Optimizer = {
  names: ['decoupled_adamw'],
  title: 'AdamW (decoupled)',
  source: 'composer 6405188, composer/optim/decoupled_weight_decay.py, DecoupledAdamW.adamw',
  step(tape, groups, first) {
    if (first) {
      eachParameter(tape, groups, [], ({ elements, dtype }) => {
        state(tape, 1, 'fp32');
        state(tape, elements, dtype);
        state(tape, elements, dtype);
      });
    }
    const denominator = new Variable(tape);
    eachParameter(tape, groups, [denominator], ({ elements, dtype }) => {
      const root = tape.empty(elements, dtype);
      denominator.set(tape.done(tape.empty(elements, dtype), root));
    });
  },
};

/** LLM Foundry's Lion: one moment, and the update of one parameter at a time. */
export const decoupledLionW: Optimizer = {
  names: ['decoupled_lionw'],
  title: 'Lion (decoupled)',
  source: 'llm-foundry 8c8dd48, llmfoundry/optim/lion.py, DecoupledLionW.lionw',
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], ({ elements, dtype }) => state(tape, elements, dtype));
    const update = new Variable(tape);
    eachParameter(tape, groups, [update], ({ elements, dtype }) => {
      update.set(tape.empty(elements, dtype));
    });
  },
};
