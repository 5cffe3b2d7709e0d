import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

const DTYPE: KeyHelp = {
  text: 'What the weights are saved in: 2 bytes a parameter, 4 in float32. Many programs load them as something else.',
  values: ['float32', 'float16', 'bfloat16'],
};

/** What the keys of a checkpoint's `config.json` do to memory (transformers, configuration_utils.py and models/*). */
export const modelConfigHelp: Readonly<Record<string, KeyHelp>> = {
  model_type: {
    text: 'The architecture: which layers there are, and what each keeps for the backward pass.',
  },
  architectures: { text: 'The class that the checkpoint was saved from: with which head, if any.' },
  hidden_size: {
    text: 'Width of a token. Weights of a layer grow with its square, activations in proportion to it.',
  },
  intermediate_size: {
    text: 'Inner width of the MLP: two or three matrices of this by the width in each layer.',
  },
  num_hidden_layers: {
    text: 'Layers. Weights, states, activations and keys and values are in proportion to them.',
  },
  num_attention_heads: { text: 'Heads of the queries. Eager attention keeps length² scores for each.' },
  num_key_value_heads: {
    text: 'Heads of keys and values: the cache of generation is in proportion to them.',
    byDefault: 'num_attention_heads, in most architectures',
  },
  head_dim: {
    text: 'Width of a head.',
    byDefault: 'hidden_size ÷ num_attention_heads, in most architectures',
  },
  vocab_size: {
    text: 'Words. Embedding and head have a row for each; logits take so many numbers a token, often the largest part of a step.',
  },
  max_position_embeddings: {
    text: 'The longest sequence the model was made for. Weights only where positions are learned; serving engines take it as the longest request.',
  },
  tie_word_embeddings: {
    text: 'Embedding and head are one matrix: vocab_size × hidden_size parameters less.',
    values: FLAG,
    byDefault: 'true, unless the architecture says otherwise',
  },
  torch_dtype: DTYPE,
  dtype: DTYPE,
  sliding_window: {
    text: 'Tokens that a layer looks back over: its keys and values need no more, where the program makes use of it.',
  },
  use_cache: {
    text: 'Keys and values are kept. Of use in generation only; training turns it off with gradient checkpointing.',
    values: FLAG,
  },
  num_local_experts: {
    text: 'Experts of a layer: the weights of all of them are held, whichever a token takes.',
  },
  num_experts: { text: 'Experts of a layer: the weights of all of them are held, whichever a token takes.' },
  n_routed_experts: {
    text: 'Experts of a layer: the weights of all of them are held, whichever a token takes.',
  },
  num_experts_per_tok: { text: 'Experts that a token takes: activations are in proportion to them.' },
  moe_intermediate_size: { text: 'Inner width of an expert.' },
  kv_lora_rank: {
    text: 'Width of compressed keys and values, which is what latent attention’s cache holds.',
  },
  'quantization_config.quant_method': {
    text: 'How the weights are packed. They are loaded so, whatever dtype is asked for.',
  },
  'quantization_config.bits': { text: 'Bits of a packed weight; scales come on top.' },
};
