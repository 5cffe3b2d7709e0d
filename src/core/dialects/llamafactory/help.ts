import type { KeyHelp } from '../dialect';

const YES_NO = ['true', 'false'] as const;

/** What LLaMA-Factory's keys do to memory; sources as in the dialect's table. */
export const llamafactoryHelp: Readonly<Record<string, KeyHelp>> = {
  per_device_train_batch_size: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  gradient_accumulation_steps: {
    text: 'Micro batches added up before the optimizer steps. Takes no activations.',
  },
  cutoff_len: {
    text: 'Longest row in tokens, image tokens included. Activations and logits grow with it in proportion.',
  },
  finetuning_type: {
    text: 'What is trained: adapters (`lora`, `oft`), the last layers (`freeze`), everything (`full`: sixteen bytes a parameter without ZeRO, since trained weights are cast to fp32).',
    values: ['lora', 'oft', 'freeze', 'full'],
  },
  stage: {
    text: 'The task. `dpo` and `kto` run pairs or a reference: with `full`, a second copy of the model.',
    values: ['pt', 'sft', 'rm', 'ppo', 'dpo', 'kto'],
  },
  pref_loss: {
    text: 'Loss of stage `dpo`. `orpo` and `simpo` need no reference model.',
    values: ['sigmoid', 'hinge', 'ipo', 'kto_pair', 'orpo', 'simpo'],
    byDefault: 'sigmoid',
  },
  pure_bf16: {
    text: 'Trained weights, gradients and optimizer states stay in bf16: half of the memory of full fine-tuning. Not with ZeRO-3.',
    values: YES_NO,
    byDefault: 'false',
  },
  bf16: {
    text: 'Loads weights in bf16 and computes under autocast. Trained weights are still cast to fp32.',
    values: YES_NO,
    byDefault: 'false',
  },
  quantization_bit: {
    text: 'Quantises the frozen base when it is loaded: a quarter (4) or half (8) of 16-bit weights. Adapters only.',
    values: ['4', '8'],
    byDefault: 'null',
  },
  double_quantization: {
    text: 'Quantises the scales of 4-bit weights, too: 0.4 bits a parameter less.',
    values: YES_NO,
    byDefault: 'true',
  },
  disable_gradient_checkpointing: {
    text: 'Checkpointing is on unless this is true. Without it every layer keeps all of its activations.',
    values: YES_NO,
  },
  use_unsloth_gc: {
    text: 'Keeps checkpoints on the host instead of the GPU.',
    values: YES_NO,
    byDefault: 'false',
  },
  use_reentrant_gc: {
    text: 'Which of torch’s two kinds of checkpointing is used.',
    values: YES_NO,
    byDefault: 'true, false under FSDP2',
  },
  flash_attn: {
    text: 'The kernel of attention. `disabled` is eager attention, which keeps every score.',
    values: ['auto', 'disabled', 'sdpa', 'fa2', 'fa3'],
    byDefault: 'auto',
  },
  lora_rank: {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  lora_alpha: { text: 'Scale of the adapters; takes no memory.', byDefault: 'twice the rank' },
  lora_target: {
    text: 'Modules with adapters. `all`: every linear layer but the head.',
    byDefault: 'all',
  },
  additional_target: {
    text: 'Modules trained whole beside the adapters: embeddings here cost as much as full fine-tuning of them.',
    byDefault: 'null',
  },
  packing: {
    text: 'Fills rows up to `cutoff_len` with several samples: every step then takes the worst case.',
    values: YES_NO,
  },
  neat_packing: {
    text: 'Packing whose samples do not see each other. Turns `packing` on.',
    values: YES_NO,
    byDefault: 'false',
  },
  enable_liger_kernel: {
    text: 'Liger’s kernels. For `pt` and `sft` the loss is fused with the head, and logits are never whole.',
    values: YES_NO,
    byDefault: 'false',
  },
  deepspeed: {
    text: 'DeepSpeed file that shards states (2) or weights as well (3) over the GPUs.',
  },
};
