import type { KeyHelp } from '../dialect';

const YES_NO = ['true', 'false'] as const;

/** What Open Instruct's keys do to memory; sources as in the dialect's table. */
export const openInstructHelp: Readonly<Record<string, KeyHelp>> = {
  per_device_train_batch_size: {
    text: 'Rows of one forward pass on each GPU; for DPO, pairs. Activations and logits grow with it.',
  },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Takes no activations.',
  },
  max_seq_length: {
    text: 'Longest row in tokens. Without it the longest sample of a batch decides.',
  },
  packing: { text: 'Several samples in one row, without padding.', values: YES_NO },
  gradient_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: YES_NO,
  },
  use_lora: {
    text: 'Trains adapters on seven projections of each layer.',
    values: YES_NO,
    byDefault: 'false',
  },
  use_qlora: {
    text: 'Adapters on a base of 4 bits (nf4, double quantisation), with a paged optimizer.',
    values: YES_NO,
    byDefault: 'false',
  },
  lora_rank: {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '64',
  },
  use_8bit_optimizer: {
    text: 'The paged optimizer of QLoRA keeps its states in 8 bits.',
    values: YES_NO,
    byDefault: 'false',
  },
  use_flash_attn: {
    text: 'FlashAttention 2; without it eager attention, which keeps every score.',
    values: YES_NO,
  },
  use_liger_kernel: {
    text: 'Liger’s kernels. The loss is fused with the head only with `reduce_loss: mean`.',
    values: YES_NO,
    byDefault: 'false',
  },
  sequence_parallel_size: { text: 'GPUs that share one row’s tokens.', byDefault: '1' },
};
