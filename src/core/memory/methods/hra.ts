import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, scale } from '../ops/pointwise';

/** The weight is turned by r Householder reflections, multiplied one after the other as full squares. */
export const hra: AdapterMethod = {
  names: ['hra'],
  title: 'HRA',
  source: 'peft 0.21.2, tuners/hra/layer.py, HRALinear.get_delta_weight',
  ranked: true,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const { r, dtype } = plan;
    const vectors = builder.adapter([inputs, r], dtype);
    const square = [inputs, inputs];
    return (tape, input) =>
      tape.call([input], () => {
        const identity = tape.name(tape.empty(inputs * inputs, 'fp32'));
        const units = tape.name(scale(tape, vectors));
        let turn = tape.name(tape.empty(inputs * inputs, dtype));
        for (let i = 0; i < r; i++) {
          const one = tape.name(tape.view(units, inputs, units.node));
          const column = matmul(tape, scale(tape, turn), one, null, [1, inputs]);
          turn = tape.rename(turn, add(tape, turn, matmul(tape, column, one, null, [inputs, 1])));
          tape.drop(one);
        }
        const whole = tape.name(matmul(tape, identity, turn, null, square));
        const frozen = tape.name(to(tape, weight ?? tape.empty(inputs * outputs, input.dtype), dtype));
        const made = tape.name(matmul(tape, frozen, whole, null, square));
        const x = tape.name(to(tape, input, dtype));
        return to(tape, matmul(tape, x, made, null, [outputs, inputs]), input.dtype);
      });
  },
};
