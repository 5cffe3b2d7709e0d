import type { AdapterMethod } from '../adapterMethod';
import { prefixed } from '../ops/shape';

/** Tokens that the trainers of both methods put in when nothing is said (PEFT has no default: its examples take 20). */
const EXAMPLE_TOKENS = 20;

const virtualTokens = ({ r }: { readonly r: number }): number => (r > 0 ? r : EXAMPLE_TOKENS);

/** Embeddings of virtual tokens are trained; every layer below the loss keeps what it would keep for full training. */
export const promptTuning: AdapterMethod = {
  names: ['prompt_tuning'],
  title: 'prompt tuning',
  source: 'peft 0.21.2, tuners/prompt_tuning/model.py; peft_model.py, PeftModelForCausalLM.forward',
  ranked: false,
  targets: 'none',
  virtualTokens,
  linear: ({ base }) => base,
};

/** The same with a small network that makes the embeddings, which is left out: it is run for the virtual tokens only. */
export const pTuning: AdapterMethod = {
  names: ['p_tuning'],
  title: 'p-tuning',
  source: 'peft 0.21.2, tuners/p_tuning/model.py',
  ranked: false,
  targets: 'none',
  virtualTokens,
  linear: ({ base }) => base,
};

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
