import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { matmul } from '../ops/linear';
import { mul, scale } from '../ops/pointwise';

/** Adaptive ranks before they are cut: PEFT starts with 12 (AdaLoraConfig.init_r); a config's `r` is not read. */
const INITIAL_RANK = 12;

/** LoRA as a singular value decomposition: x · (A · E)ᵀ · Bᵀ. */
export const adalora: AdapterMethod = {
  names: ['adalora'],
  title: 'AdaLoRA',
  source: 'peft 0.21.2, tuners/adalora/layer.py',
  ranked: false,
  linear(site) {
    const { builder, plan, shape } = site;
    const r = Math.max(plan.r, INITIAL_RANK);
    const a = builder.adapter([r, shape.inputs], plan.dtype);
    const e = builder.adapter([r, 1], plan.dtype);
    const b = builder.adapter([shape.outputs, r], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const narrow = matmul(tape, x, mul(tape, a, e), null, [r, shape.inputs]);
      const wide = matmul(tape, narrow, b, null, [shape.outputs, r]);
      return scale(tape, scale(tape, wide));
    });
  },
};
