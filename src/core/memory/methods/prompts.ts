import type { AdapterMethod } from '../adapterMethod';
import { prefixed } from '../ops/shape';

/** Default number of tokens in the trainers of both methods (PEFT has no default: its examples use 20). */
const EXAMPLE_TOKENS = 20;

const virtualTokens = ({ r }: { readonly r: number }): number => (r > 0 ? r : EXAMPLE_TOKENS);

/** Trains embeddings of virtual tokens; every layer keeps what it would keep in full training. */
export const promptTuning: AdapterMethod = {
  names: ['prompt_tuning'],
  title: 'prompt tuning',
  source: 'peft 0.21.2, tuners/prompt_tuning/model.py; peft_model.py, PeftModelForCausalLM.forward',
  ranked: false,
  targets: 'none',
  virtualTokens,
  linear: ({ base }) => base,
};

/**
 * The same with a small network that computes the embeddings, which is omitted: it only runs for the virtual
 * tokens.
 */
export const pTuning: AdapterMethod = {
  names: ['p_tuning'],
  title: 'p-tuning',
  source: 'peft 0.21.2, tuners/p_tuning/model.py',
  ranked: false,
  targets: 'none',
  virtualTokens,
  linear: ({ base }) => base,
};

/** Trained keys and values of virtual tokens for each layer, which attention sees before the row's own. */
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
