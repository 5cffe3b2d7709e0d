import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What Megatron-Bridge's keys do to memory; what a file leaves out the recipe says. */
export const megatronBridgeHelp: Readonly<Record<string, KeyHelp>> = {
  'train.micro_batch_size': {
    text: 'Rows of one forward pass of each data-parallel group. Activations and logits grow with it in proportion.',
  },
  'train.global_batch_size': {
    text: 'Rows of one step over all GPUs: what micro batches do not fill is accumulated.',
  },
  'model.seq_length': { text: 'Tokens of a row. It has to equal `dataset.seq_length`.' },
  'dataset.seq_length': { text: 'Tokens of a row. It has to equal `model.seq_length`.' },
  mixed_precision: {
    text: 'A named recipe: bf16_mixed has bf16 weights, gradients added up in fp32, and fp32 copies in the optimizer.',
    byDefault: 'bf16_mixed',
  },
  'model.recompute_granularity': {
    text: '`full` keeps the inputs of layers only, `selective` leaves out what is cheap to compute again.',
    values: ['selective', 'full', 'null'],
  },
  'model.recompute_num_layers': {
    text: 'With `full`: layers of a group, or how many of each stage are checkpointed.',
  },
  'model.tensor_model_parallel_size': { text: 'GPUs that share each layer’s matrices.' },
  'model.pipeline_model_parallel_size': { text: 'GPUs that have some layers each.' },
  'model.context_parallel_size': { text: 'GPUs that share each row’s tokens.' },
  'model.sequence_parallel': {
    text: 'Tensor-parallel GPUs share norms and dropouts by tokens too. Needs tensor parallelism.',
    values: FLAG,
  },
  'ddp.use_distributed_optimizer': {
    text: 'Shares fp32 copies and moments among the data-parallel GPUs: 12 of 18 bytes a parameter.',
    values: FLAG,
  },
  'dist.use_megatron_fsdp': {
    text: 'Shards weights and gradients as well.',
    values: FLAG,
    byDefault: 'false',
  },
  'optimizer.optimizer_cpu_offload': {
    text: 'Keeps states and fp32 copies on the host.',
    values: FLAG,
    byDefault: 'false',
  },
  'peft.dim': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '32',
  },
};
