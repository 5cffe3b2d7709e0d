import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** UniLoraConfig.theta_d_length: total number of trained numbers. */
const TRAINED = 256;

/** LoRA's matrices consist of a few trained numbers, selected by fixed indices and multiplied by fixed scales. */
export const unilora: AdapterMethod = {
  names: ['unilora'],
  title: 'Uni-LoRA',
  source: 'peft 0.21.2, tuners/unilora/layer.py, Linear._get_lora_matrices',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const { r, dtype } = plan;
    const trained = builder.extras.common('unilora theta', [TRAINED], dtype);
    const sizes = [
      [r, shape.inputs],
      [shape.outputs, r],
    ] as const;
    const fixed = sizes.map(size => ({
      indices: builder.extras.held(size, 'int64'),
      scales: builder.extras.held(size, dtype),
    }));
    return withUpdate(site, (tape, x) => {
      const [a, b] = fixed.map(({ indices, scales }) => picked(tape, trained, indices, scales));
      if (!a || !b) return x;
      return matmul(tape, matmul(tape, x, a, null, sizes[0]), b, null, sizes[1]);
    });
  },
};

function picked(tape: Tape, trained: Tensor, indices: Tensor, scales: Tensor): Tensor {
  const node = tape.record(trained);
  if (node) {
    for (const kept of [indices, scales]) node.save(kept);
    node.backward = grad => [tape.done(tape.like(trained), tape.like(grad))];
  }
  const values = tape.like(scales);
  return tape.done(tape.like(scales, node), values);
}
