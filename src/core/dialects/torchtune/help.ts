import type { KeyHelp } from '../dialect';

/** What torchtune's keys do to memory; sources as in the dialect's table. */
export const torchtuneHelp: Readonly<Record<string, KeyHelp>> = {
  batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Takes no activations; gradients stay allocated between them.',
  },
  'tokenizer.max_seq_len': {
    text: 'Longest row in tokens. `null` sets no limit: the longest sample of a batch decides, and one long sample can run out of memory.',
  },
  'dataset.packed': {
    text: 'Fills rows up to `tokenizer.max_seq_len` with several samples: every step then takes the worst case.',
    values: ['True', 'False'],
  },
  dtype: {
    text: 'Dtype of weights, gradients and optimizer states alike: with `bf16` there is no fp32 copy of anything.',
    values: ['bf16', 'fp32'],
  },
  enable_activation_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward: activations shrink to a fraction, steps take about a third longer.',
    values: ['True', 'False'],
  },
  enable_activation_offloading: {
    text: 'Moves what checkpoints keep to the host while it is not needed. Needs activation checkpointing.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
  optimizer_in_bwd: {
    text: 'Steps each parameter as soon as its gradient is there, and frees it: gradients never exist together. Excludes accumulation and clipping.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
  'optimizer._component_': {
    text: 'Class of the optimizer. AdamW keeps two states a parameter in the dtype of the weights; 8-bit ones two bytes in all, paged ones on the host when the GPU is full.',
  },
  fsdp_cpu_offload: {
    text: 'Keeps shards, gradients and the optimizer on the host; the GPU has what is gathered. The step runs on the CPU.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
  fsdp_reshard_after_forward: {
    text: 'Gives a layer’s parameters back after its forward pass. `False` keeps them for backward: faster, and all layers are there at once.',
    values: ['True', 'False'],
    byDefault: 'True',
  },
  'model.lora_rank': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  'model.lora_attn_modules': {
    text: 'Projections of attention that get adapters. Required by LoRA builders.',
  },
  'model.apply_lora_to_mlp': {
    text: 'Adapters on the MLP as well, which has most of the parameters.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
  compile: {
    text: 'torch.compile of model and loss. Fused kernels keep less for backward.',
    byDefault: 'False',
  },
  clip_grad_norm: {
    text: 'Largest norm of the gradients; computing it takes little beside them.',
    byDefault: 'None',
  },
  log_peak_memory_stats: {
    text: 'Prints peak memory with every step: what Headroom’s estimate is compared with.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
};
