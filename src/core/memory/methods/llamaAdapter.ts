import type { AdapterMethod } from '../adapterMethod';
import type { AdapterSite } from '../adapterMethod';
import type { Linear } from '../modules';
import { add, mul } from '../ops/pointwise';

/** litgpt/adapter.py, Config.adapter_prompt_length. */
const PROMPT = 10;

/** Names of the layer after attention in different families. */
const OUTPUT = /(?:o_proj|dense|out_proj|attn\.c_proj)$/;

/**
 * Trained prompts in each layer, to which its queries attend, gated; the result is added to the attention's output.
 * The first two layers have none; for simplicity they count like the others.
 */
export const llamaAdapter: AdapterMethod = {
  names: ['llama-adapter'],
  title: 'LLaMA-Adapter',
  source: 'litgpt 26857050, litgpt/adapter.py, CausalSelfAttention.scaled_dot_product_attention',
  ranked: false,
  targets: 'all',
  linear: gatedPrompt,
};

/** The same with a trained bias and factor per output of every linear layer, and trained norms. */
export const llamaAdapterV2: AdapterMethod = {
  names: ['llama-adapter v2', 'llama-adapter-v2'],
  title: 'LLaMA-Adapter v2',
  source: 'litgpt 26857050, litgpt/adapter_v2.py, AdapterV2Linear.forward',
  ranked: false,
  targets: 'all',
  trainsNorms: true,
  linear(site) {
    const { builder, plan, shape, base } = site;
    const bias = builder.adapter([shape.outputs], plan.dtype);
    const factor = builder.adapter([shape.outputs], plan.dtype);
    const scaled: Linear = (tape, x) => mul(tape, factor, add(tape, base(tape, x), bias));
    return gatedPrompt({ ...site, base: scaled });
  },
};

function gatedPrompt({ builder, plan, shape, base }: AdapterSite): Linear {
  if (!OUTPUT.test(shape.name)) return base;
  const prompt = builder.adapter([PROMPT, shape.outputs], plan.dtype);
  const gate = builder.adapter([1, 1], plan.dtype);
  return (tape, input) =>
    tape.call([input], () => {
      const node = tape.record(input, prompt);
      const attended = tape.name(tape.like(input, node));
      if (node) {
        node.save(attended);
        node.backward = () => [input.node && tape.like(input), tape.like(prompt)];
      }
      return base(tape, add(tape, input, mul(tape, attended, gate)));
    });
}
