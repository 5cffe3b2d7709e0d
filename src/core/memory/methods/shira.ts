import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';

/** A few entries of the weight are trained: for each use it is copied, and they are added to the copy. */
export const shira: AdapterMethod = {
  names: ['shira'],
  title: 'SHiRA',
  source: 'peft 0.21.2, tuners/shira/layer.py, Linear.forward',
  ranked: true,
  linear({ builder, plan, shape, weight }) {
    const { inputs, outputs } = shape;
    const entries = plan.r * (inputs + outputs);
    const values = builder.adapter([entries], plan.dtype);
    const places = builder.extras.held([2 * entries], 'int32');
    return (tape, input) =>
      tape.call([input], () => {
        const node = tape.record(values);
        const scaled = tape.empty(entries, plan.dtype);
        const indices = tape.empty(places.elements, 'int64');
        const dtype = weight?.dtype ?? input.dtype;
        if (node) {
          node.save(indices);
          node.backward = grad => [tape.done(tape.like(values), tape.empty(entries, grad.dtype))];
        }
        const copied = tape.done(tape.empty(inputs * outputs, dtype, node), scaled, indices);
        return matmul(tape, input, copied, null, [outputs, inputs]);
      });
  },
};
