import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { add } from '../ops/pointwise';
import { catAll } from '../ops/shape';

/** AdamssConfig.num_subspaces, each of one dimension (subspace_rank). */
const SUBSPACES = 5;

/** Each group of outputs gets a one-dimensional update; the combined updates are put in output order. */
export const adamss: AdapterMethod = {
  names: ['adamss'],
  title: 'AdaMSS',
  source: 'peft 0.21.2, tuners/adamss/layer.py, Linear.forward',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const { inputs, outputs } = shape;
    const dtype = builder.dtypeOf(shape);
    const projection = builder.extras.held([plan.r, inputs], dtype);
    const width = outputs / SUBSPACES;
    const pairs = Array.from({ length: SUBSPACES }, () => ({
      a: builder.adapter([1, plan.r], dtype),
      b: builder.adapter([width, 1], dtype),
    }));
    builder.extras.held([outputs], 'int64');
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const projected = tape.name(matmul(tape, input, projection, null, [plan.r, inputs]));
        const parts = pairs.map(({ a, b }) =>
          tape.name(matmul(tape, matmul(tape, projected, a, null, [1, plan.r]), b, null, [width, 1])),
        );
        const together = tape.name(catAll(tape, parts));
        const node = tape.record(together);
        if (node) node.backward = () => [tape.like(together)];
        const zeros = tape.empty(together.elements, dtype);
        const scattered = tape.done(tape.empty(together.elements, dtype, node), zeros);
        return add(tape, result, tape.rename(together, scattered));
      });
  },
};
