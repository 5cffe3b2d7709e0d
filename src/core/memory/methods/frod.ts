import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { add, mul } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** FrodConfig.sparse_rate: the trained share of the square between the bases, in addition to its diagonal. */
const TRAINED = 0.01;

/**
 * Decomposes the weight into its own basis, a square, and a basis shared by all layers of a kind; the layer itself
 * does not run. The square is sparse, and made dense for each use.
 */
export const frod: AdapterMethod = {
  names: ['frod'],
  title: 'FRoD',
  source: 'peft 0.21.2, tuners/frod/layer.py, Linear.forward',
  ranked: false,
  linear({ builder, shape }) {
    const { inputs, outputs, name } = shape;
    const dtype = builder.dtypeOf(shape);
    const sparse = builder.adapter([Math.floor(TRAINED * inputs * inputs)], dtype);
    const diagonal = builder.adapter([inputs], dtype);
    const own = builder.extras.held([outputs, inputs], dtype);
    const common = builder.extras.shared(`frod V ${name.split('.').at(-1) ?? name}`, [inputs, inputs], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const z = tape.name(matmul(tape, input, common, null, [inputs, inputs]));
        const dense = tape.name(densified(tape, sparse, inputs * inputs));
        const crossed = tape.name(matmul(tape, z, dense, null, [inputs, inputs]));
        const straight = tape.name(mul(tape, z, diagonal));
        return matmul(tape, add(tape, crossed, straight), own, null, [outputs, inputs]);
      });
  },
};

/** Sorts indices, sums values and scatters them into zeros. */
function densified(tape: Tape, values: Parameter, elements: number): Tensor {
  const node = tape.record(values);
  const indices = tape.empty(2 * values.elements, 'int64');
  if (node) {
    node.save(indices);
    node.backward = () => [tape.like(values)];
  }
  return tape.done(tape.empty(elements, values.dtype, node), indices);
}
