import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What Axolotl's keys do to memory; sources as in the dialect's table. */
export const axolotlHelp: Readonly<Record<string, KeyHelp>> = {
  micro_batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Takes no activations; gradients stay allocated between them.',
  },
  batch_size: {
    text: 'Deprecated: rows of one step on each GPU, from which accumulation follows. Not beside `gradient_accumulation_steps`.',
  },
  eval_batch_size: {
    text: 'Rows of one pass of evaluation on each GPU.',
    byDefault: 'micro_batch_size',
  },
  sequence_len: {
    text: 'Longest row in tokens; longer ones are dropped. Activations and logits grow with it in proportion.',
  },
  sample_packing: {
    text: 'Fills rows up to `sequence_len` with several samples: every step then takes the worst case.',
    values: FLAG,
  },
  pad_to_sequence_len: {
    text: 'Pads every row to `sequence_len`: each step takes the worst case, and the allocator fragments less.',
    values: FLAG,
    byDefault: 'true with sample_packing',
  },
  adapter: {
    text: 'What is trained: `lora` and `qlora` leave the base frozen; without it all weights are trained.',
    values: ['lora', 'qlora'],
  },
  lora_r: { text: 'Rank of the adapters: their weights, gradients and states grow with it.' },
  lora_target_linear: { text: 'Adapters on every linear layer.', values: FLAG },
  lora_target_modules: { text: 'Modules with adapters.' },
  lora_modules_to_save: {
    text: 'Modules trained whole beside the adapters: embeddings here cost as much as full fine-tuning of them.',
  },
  load_in_4bit: {
    text: 'Frozen weights in 4 bits: half a byte a parameter, and scales.',
    values: FLAG,
    byDefault: 'false',
  },
  load_in_8bit: { text: 'Frozen weights in 8 bits.', values: FLAG, byDefault: 'false' },
  bf16: {
    text: 'Weights in bf16 and products in it; `auto` where the GPU has it. Full fine-tuning has no fp32 copy then.',
    values: ['auto', 'true', 'false'],
    byDefault: 'auto',
  },
  fp16: { text: 'Weights and products in fp16.', values: FLAG },
  optimizer: {
    text: 'Optimizer. AdamW keeps two states a parameter in its dtype; `…_8bit` two bytes in all; `paged_…` on the host when the GPU is full.',
    values: [
      'adamw_torch_fused',
      'adamw_torch',
      'adamw_bnb_8bit',
      'paged_adamw_8bit',
      'paged_adamw_32bit',
      'ao_adamw_8bit',
      'ao_adamw_4bit',
      'adafactor',
      'lion_8bit',
      'muon',
    ],
  },
  gradient_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward. `offload` keeps those on the host.',
    values: ['true', 'false', 'offload'],
  },
  activation_offloading: {
    text: 'Moves what checkpoints keep to the host while it is not needed.',
    values: ['true', 'false', 'legacy', 'disk', 'hidden_states'],
    byDefault: 'false',
  },
  attn_implementation: {
    text: 'The kernel of attention. `eager` keeps every score for backward; the others do not.',
    values: ['eager', 'sdpa', 'flash_attention_2', 'flash_attention_3', 'flex_attention', 'xformers'],
  },
  liger_fused_linear_cross_entropy: {
    text: 'The loss never holds all logits of a micro batch: a few GiB less with large vocabularies.',
    values: FLAG,
  },
  cut_cross_entropy: {
    text: 'The loss never holds all logits of a micro batch.',
    values: FLAG,
    byDefault: 'true where its plugin is listed',
  },
  chunked_cross_entropy: { text: 'Losses of parts of the rows, one after the other.', values: FLAG },
  deepspeed: {
    text: 'A DeepSpeed config, by its path: its ZeRO stage decides what GPUs share, and its offload what goes to the host.',
  },
  'fsdp_config.offload_params': {
    text: 'Keeps shards, gradients and states on the host; the step runs on the CPU.',
    values: FLAG,
    byDefault: 'false',
  },
  'fsdp_config.reshard_after_forward': {
    text: 'Gives a layer’s parameters back after its forward pass. `false` keeps them for backward.',
    values: FLAG,
    byDefault: 'true',
  },
  'fsdp_config.activation_checkpointing': {
    text: 'FSDP’s own checkpointing of layers, in place of `gradient_checkpointing`.',
    values: FLAG,
    byDefault: 'false',
  },
  tensor_parallel_size: { text: 'GPUs that share each layer’s matrices.', byDefault: '1' },
  context_parallel_size: {
    text: 'GPUs that share each row’s tokens. Needs FlashAttention.',
    byDefault: '1',
  },
  torch_compile: {
    text: 'torch.compile: fused kernels keep less for backward.',
    values: ['auto', 'true', 'false'],
  },
};
