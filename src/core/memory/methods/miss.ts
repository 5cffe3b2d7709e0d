import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { rowSums } from '../ops/pointwise';

/** Sums of the input's shards times a trained block (MiSS, before it Bone). */
export const miss: AdapterMethod = {
  names: ['miss', 'bone'],
  title: 'MiSS',
  source: 'peft 0.21.2, tuners/miss/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const block = builder.adapter([plan.r, shape.outputs], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const shards = rowSums(tape, x, shape.inputs / plan.r);
      return matmul(tape, shards, block, null, [shape.outputs, plan.r]);
    });
  },
};
