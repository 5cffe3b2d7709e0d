import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What DeepSpeed's keys do to memory; sources as in the dialect's table. */
export const deepspeedHelp: Readonly<Record<string, KeyHelp>> = {
  train_batch_size: {
    text: 'Rows of one step over all GPUs: micro batch × accumulation × GPUs, or DeepSpeed stops.',
  },
  train_micro_batch_size_per_gpu: {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  gradient_accumulation_steps: { text: 'Micro batches added up before a step.' },
  'zero_optimization.stage': {
    text: 'What GPUs share: 1 the optimizer’s states (12 of 16 bytes a parameter), 2 gradients as well, 3 weights too.',
    values: ['0', '1', '2', '3'],
  },
  'zero_optimization.offload_optimizer.device': {
    text: 'Where states and fp32 copies are kept, and where the step runs: 12 bytes a parameter less on the GPU.',
    values: ['none', 'cpu', 'nvme'],
    byDefault: 'none',
  },
  'zero_optimization.offload_param.device': {
    text: 'Where shards of the weights are kept between uses. Stage 3 only.',
    values: ['none', 'cpu', 'nvme'],
    byDefault: 'none',
  },
  'zero_optimization.reduce_bucket_size': {
    text: 'Elements, not bytes, of the buffer that gradients are reduced in: 5e8 are 1 GB in 16 bits.',
    byDefault: '5e8',
  },
  'zero_optimization.allgather_bucket_size': {
    text: 'Elements of the buffer that weights are gathered in, in stages 1 and 2.',
    byDefault: '5e8',
  },
  'zero_optimization.stage3_prefetch_bucket_size': {
    text: 'Elements that are gathered ahead of their use.',
    byDefault: '5e7',
  },
  'zero_optimization.stage3_param_persistence_threshold': {
    text: 'Parameters smaller than this, in elements, stay on every GPU.',
    byDefault: '1e5',
  },
  'zero_optimization.stage3_max_live_parameters': {
    text: 'Elements of gathered weights that may be there at once: 1e9 are 2 GB in 16 bits.',
    byDefault: '1e9',
  },
  'zero_optimization.stage3_max_reuse_distance': {
    text: 'Weights that are used again within so many elements are not given back in between.',
    byDefault: '1e9',
  },
  'zero_optimization.sub_group_size': {
    text: 'Elements that the optimizer steps at a time in stage 3.',
    byDefault: '1e9',
  },
  'zero_optimization.overlap_comm': {
    text: 'Reduces while backward runs, with a second buffer.',
    values: FLAG,
    byDefault: 'true for stage 3',
  },
  'zero_optimization.contiguous_gradients': {
    text: 'Gradients in one buffer, against fragmentation.',
    values: FLAG,
    byDefault: 'true',
  },
  'bf16.enabled': {
    text: 'Weights and gradients in bf16, with fp32 copies in the optimizer.',
    values: ['true', 'false', 'auto'],
    byDefault: 'false',
  },
  'fp16.enabled': {
    text: 'Weights and gradients in fp16, with fp32 copies in the optimizer.',
    values: ['true', 'false', 'auto'],
    byDefault: 'false',
  },
  'optimizer.type': { text: 'DeepSpeed’s optimizer; without it the trainer brings its own.' },
  'activation_checkpointing.cpu_checkpointing': {
    text: 'Read only by models that call DeepSpeed’s checkpointing: it changes nothing for models of transformers.',
    values: FLAG,
    byDefault: 'false',
  },
};
