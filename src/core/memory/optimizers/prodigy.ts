import { eachParameter, state, Variable } from '../optimizer';
import type { Optimizer } from '../optimizer';

/** Prodigy: Adam's moments, the first parameters and the sum of the distances, all in the parameter's dtype. */
export const prodigy: Optimizer = {
  names: ['prodigy'],
  title: 'Prodigy',
  source: 'prodigyopt 1.1.2, prodigy.py, Prodigy.step with slice_p=1',
  step(tape, groups, first) {
    eachParameter(tape, groups, [], ({ elements, dtype }) => {
      if (first) for (let i = 0; i < 4; i++) state(tape, elements, dtype);
      // The distance is a sum of absolute values.
      tape.spend(tape.empty(elements, dtype));
    });
    const denominator = new Variable(tape);
    eachParameter(tape, groups, [denominator], ({ elements, dtype }) => {
      denominator.set(tape.empty(elements, dtype));
    });
  },
};
