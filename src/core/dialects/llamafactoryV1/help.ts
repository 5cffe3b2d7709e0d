import type { KeyHelp } from '../dialect';

const YES_NO = ['true', 'false'] as const;

/** What keys of the v1 engine do to memory; sources as in the dialect's table. */
export const llamafactoryV1Help: Readonly<Record<string, KeyHelp>> = {
  micro_batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  global_batch_size: {
    text: 'Rows of a step over all GPUs. What the micro batches do not reach is accumulated.',
    byDefault: 'dp_size × micro_batch_size',
  },
  cutoff_len: { text: 'Longest row in tokens.' },
  batching_strategy: {
    text: 'How rows become a batch. The padding-free ones put them one after the other.',
    values: ['normal', 'padding_free', 'dynamic_batching', 'dynamic_padding_free'],
  },
  bf16: { text: 'Computes in bf16. Fully trained weights are held in fp32 all the same.', values: YES_NO },
  enable_activation_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: YES_NO,
  },
  'dist_config.name': {
    text: 'What shards the run: FSDP2 over all GPUs, or DeepSpeed by its file.',
    values: ['fsdp2', 'deepspeed'],
  },
  'dist_config.reshard_after_forward': {
    text: 'Gives a layer’s parameters back after its forward pass.',
    values: YES_NO,
    byDefault: 'true',
  },
  'dist_config.offload_params': {
    text: 'Keeps shards, gradients and optimizer states on the host.',
    values: YES_NO,
    byDefault: 'false',
  },
  'peft_config.name': { text: 'What is trained instead of everything.', values: ['lora', 'freeze'] },
  'peft_config.r': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  'quant_config.quantization_bit': {
    text: 'Bits of the frozen base under bitsandbytes.',
    values: ['4', '8'],
    byDefault: '4',
  },
  cp_size: { text: 'GPUs that share one row’s tokens.', byDefault: '1' },
  flash_attn: { text: 'The kernel of attention, in transformers’ words.' },
};
