import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { linear } from '../ops/linear';
import { mul, scale } from '../ops/pointwise';

/** LoRA with normalised factors and a trained strength: x is weighed by the weight's norms, and what is narrow is scaled. */
export const delora: AdapterMethod = {
  names: ['delora'],
  title: 'DeLoRA',
  source: 'peft 0.21.2, tuners/delora/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
    const b = builder.adapter([shape.outputs, plan.r], plan.dtype);
    const strength = builder.adapter([1], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const narrow = linear(tape, scale(tape, x), a, null);
      return linear(tape, mul(tape, narrow, strength), b, null);
    });
  },
};
