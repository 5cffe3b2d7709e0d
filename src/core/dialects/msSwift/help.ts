import type { KeyHelp } from '../dialect';

const YES_NO = ['true', 'false'] as const;

/** What ms-swift's keys do to memory; sources as in the dialect's table. */
export const msSwiftHelp: Readonly<Record<string, KeyHelp>> = {
  per_device_train_batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  micro_batch_size: { text: 'Rows of one forward pass on each GPU, in Megatron’s words.' },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Without it as many as make up 16 samples over all GPUs.',
  },
  global_batch_size: { text: 'Rows of a step over all GPUs, in Megatron’s words.', byDefault: '16' },
  max_length: {
    text: 'Longest row in tokens; for GRPO, longest prompt. Without it the limit of the model, which may be 128k and more.',
    byDefault: 'the model’s own',
  },
  tuner_type: {
    text: 'What is trained: adapters, or everything (`full`).',
    values: [
      'lora',
      'full',
      'longlora',
      'adalora',
      'llamapro',
      'adapter',
      'vera',
      'boft',
      'fourierft',
      'reft',
      'bone',
    ],
  },
  torch_dtype: {
    text: 'Dtype of the weights, and of the computation with it: `float32` turns on fp16 autocast.',
    values: ['bfloat16', 'float16', 'float32'],
    byDefault: 'the checkpoint’s own',
  },
  quant_method: {
    text: 'Who quantises the frozen base. Without it `quant_bits` does nothing.',
    values: ['bnb', 'hqq', 'eetq', 'quanto', 'fp8'],
    byDefault: 'None',
  },
  quant_bits: {
    text: 'Bits of the frozen base, where `quant_method` is set.',
    values: ['1', '2', '3', '4', '8'],
    byDefault: 'None',
  },
  gradient_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: YES_NO,
    byDefault: 'true',
  },
  recompute_granularity: {
    text: 'What Megatron computes again in backward: whole layers, or only attention’s core.',
    values: ['full', 'selective', 'none'],
    byDefault: 'selective',
  },
  attn_impl: {
    text: 'The kernel of attention. Packing needs one of the flash ones.',
    values: ['flash_attn', 'flash_attention_2', 'flash_attention_3', 'sdpa', 'eager'],
  },
  packing: {
    text: 'Fills rows up to `max_length` with several samples; turns `padding_free` on.',
    values: YES_NO,
  },
  padding_free: { text: 'Rows of a batch one after the other, without padding.', values: YES_NO },
  lora_rank: {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  lora_alpha: { text: 'Scale of the adapters; takes no memory.', byDefault: '32' },
  target_modules: { text: 'Modules with adapters.', byDefault: 'all-linear' },
  deepspeed: {
    text: 'Shards states (2) or weights as well (3) over the GPUs: a file, or a name of ms-swift’s own.',
    values: ['zero0', 'zero1', 'zero2', 'zero3', 'zero2_offload', 'zero3_offload'],
  },
  use_liger_kernel: {
    text: 'Liger’s kernels: the loss is fused with the head, and logits are never whole.',
    values: YES_NO,
    byDefault: 'false',
  },
  sequence_parallel_size: { text: 'GPUs that share one row’s tokens.', byDefault: '1' },
};
