import type { AdapterMethod } from '../adapterMethod';
import { prefixed } from '../ops/shape';

/** Keys and values of tokens that no row has, trained for each layer: attention looks at them before the row's own. */
export const prefixTuning: AdapterMethod = {
  names: ['prefix_tuning'],
  title: 'prefix tuning',
  source: 'peft 0.21.2, tuners/prefix_tuning/model.py; peft_model.py, get_prompt',
  ranked: true,
  targets: 'all',
  prefixes: true,
  linear({ builder, plan, shape, base }) {
    if (!/(?:^|\.)[kv]_proj$/.test(shape.name)) return base;
    const prefix = builder.adapter([plan.r, shape.outputs], 'fp32');
    return (tape, x) => prefixed(tape, base(tape, x), prefix);
  },
};
