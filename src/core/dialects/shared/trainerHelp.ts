import type { KeyHelp } from '../dialect';
import { FLAG } from './switches';

/** What the keys of transformers' TrainingArguments do to memory (training_args.py). */
export const trainerHelp: Readonly<Record<string, KeyHelp>> = {
  per_device_train_batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  per_device_eval_batch_size: {
    text: 'Rows of one pass of evaluation on each GPU. Nothing is kept for backward, but logits are.',
  },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Takes no activations; gradients stay allocated between them.',
  },
  eval_accumulation_steps: {
    text: 'Batches of evaluation after which predictions are moved to the host. Without it all of them stay on the GPU.',
    byDefault: 'null',
  },
  prediction_loss_only: {
    text: 'Evaluation keeps losses only, not every logit of the evaluation set.',
    values: FLAG,
    byDefault: 'false',
  },
  auto_find_batch_size: {
    text: 'Starts again with a smaller batch after running out of memory: the batch of the file is only where it begins.',
    values: FLAG,
    byDefault: 'false',
  },
  gradient_checkpointing: {
    text: 'Keeps only the input of each layer and computes the rest again in backward: activations shrink to a fraction, steps take about a third longer.',
    values: FLAG,
  },
  bf16: {
    text: 'Computes under autocast in bf16. The weights’ dtype stays what they were loaded in.',
    values: FLAG,
    byDefault: 'false',
  },
  fp16: {
    text: 'Computes under autocast in fp16, with a scaled loss. Weights stay fp32.',
    values: FLAG,
    byDefault: 'false',
  },
  tf32: { text: 'A faster mode of fp32 products. It changes no memory.', values: FLAG },
  optim: {
    text: 'Optimizer. AdamW keeps two states a parameter in its dtype; `…_8bit` two bytes in all; `paged_…` on the host when the GPU is full; Adafactor next to none.',
    values: [
      'adamw_torch',
      'adamw_torch_fused',
      'adamw_bnb_8bit',
      'paged_adamw_8bit',
      'paged_adamw_32bit',
      'adamw_torch_8bit',
      'adafactor',
      'lion_8bit',
      'sgd',
    ],
  },
  deepspeed: {
    text: 'A DeepSpeed config, by its path: its ZeRO stage decides what GPUs share, and its offload what goes to the host.',
  },
  fsdp: { text: 'FSDP’s options: `full_shard` shares weights, gradients and states among all GPUs.' },
  torch_compile: {
    text: 'torch.compile: fused kernels keep less for backward.',
    values: FLAG,
    byDefault: 'false',
  },
  use_liger_kernel: {
    text: 'Liger’s kernels: the loss never holds all logits, norms and MLPs keep less for backward.',
    values: FLAG,
    byDefault: 'false',
  },
  use_cpu: { text: 'Trains on the host.', values: FLAG, byDefault: 'false' },
  dataloader_num_workers: { text: 'Processes that load data, on the host only.', byDefault: '0' },
  group_by_length: {
    text: 'Batches of rows of like length: less padding, and one batch of the longest rows.',
    values: FLAG,
    byDefault: 'false',
  },
  torch_empty_cache_steps: {
    text: 'Gives the allocator’s cache back every so many steps: less reserved, slower.',
    byDefault: 'null',
  },
};
