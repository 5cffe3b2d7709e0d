import type { KeyHelp } from '../dialect';
import { trainerHelp } from '../shared/trainerHelp';
import { FLAG } from '../shared/switches';

/** What TRL's keys do to memory; sources as in the dialect's table. */
export const hfTrlHelp: Readonly<Record<string, KeyHelp>> = {
  ...trainerHelp,
  max_length: {
    text: 'Longest row in tokens; for preferences, prompt and answer together. Activations and logits grow with it in proportion.',
  },
  max_seq_length: { text: 'Older name of `max_length` in SFT.' },
  max_prompt_length: { text: 'Longest prompt in tokens.' },
  max_completion_length: { text: 'Longest answer that is generated, in tokens.' },
  packing: {
    text: 'Fills rows up to `max_length` with several samples: every step then takes the worst case.',
    values: FLAG,
  },
  padding_free: {
    text: 'Rows of a batch behind each other, without padding. Needs a FlashAttention kernel.',
    values: FLAG,
    byDefault: 'false',
  },
  torch_dtype: {
    text: 'Dtype that weights are loaded in. Full fine-tuning keeps them, their gradients and Adam’s states in it.',
    values: ['auto', 'bfloat16', 'float16', 'float32'],
  },
  dtype: {
    text: 'Dtype that weights are loaded in: `torch_dtype` under its newer name.',
    values: ['auto', 'bfloat16', 'float16', 'float32'],
  },
  attn_implementation: {
    text: 'The kernel of attention. `eager` keeps every score for backward; the others do not.',
    values: ['eager', 'sdpa', 'flash_attention_2', 'flash_attention_3'],
  },
  use_peft: { text: 'Trains adapters instead of all weights.', values: FLAG, byDefault: 'false' },
  lora_r: {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '16',
  },
  lora_target_modules: { text: 'Modules with adapters.' },
  lora_modules_to_save: {
    text: 'Modules trained whole beside the adapters: embeddings here cost as much as full fine-tuning of them.',
  },
  load_in_4bit: {
    text: 'Frozen weights in 4 bits: half a byte a parameter, and scales. With adapters only.',
    values: FLAG,
    byDefault: 'false',
  },
  load_in_8bit: { text: 'Frozen weights in 8 bits. With adapters only.', values: FLAG, byDefault: 'false' },
  precompute_ref_log_probs: {
    text: 'Asks the reference model before training begins, and lets it go.',
    values: FLAG,
    byDefault: 'false',
  },
  num_generations: {
    text: 'Answers to each prompt. Batches count answers, and have to hold whole groups of them.',
    byDefault: '8',
  },
  use_vllm: { text: 'vLLM generates answers.', values: FLAG, byDefault: 'false' },
  vllm_mode: {
    text: '`colocate` puts vLLM on the GPUs that train, and takes its share of them.',
    values: ['server', 'colocate'],
  },
  vllm_gpu_memory_utilization: { text: 'Share of each GPU that colocated vLLM takes.', byDefault: '0.3' },
};
