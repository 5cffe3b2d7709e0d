import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

const DASHED: Readonly<Record<string, KeyHelp>> = {
  train_micro_batch_size_per_gpu: {
    text: 'Rows of one forward pass of each data-parallel rank. Activations and logits grow with it in proportion.',
  },
  gradient_accumulation_steps: { text: 'Micro batches added up before a step.' },
  train_batch_size: {
    text: 'Rows of one step over all GPUs: micro batch × accumulation × data-parallel ranks.',
  },
  seq_length: { text: 'Tokens of a row.' },
  pipe_parallel_size: {
    text: 'GPUs that have some layers each; 0 leaves the pipeline out. From 1 on, ZeRO stages 2 and 3 are refused.',
    byDefault: '0',
  },
  model_parallel_size: { text: 'GPUs that share each layer’s matrices.', byDefault: '1' },
  checkpoint_activations: {
    text: 'Keeps only the inputs of groups of layers and computes the rest again in backward.',
    values: FLAG,
    byDefault: 'false',
  },
  checkpoint_num_layers: { text: 'Layers of such a group.', byDefault: '1' },
  partition_activations: {
    text: 'Shares checkpoints among model-parallel ranks. Needs `checkpoint_activations`.',
    values: FLAG,
    byDefault: 'false',
  },
  precision: { text: 'Dtype of weights and products.', values: ['fp16', 'bfloat16', 'fp32'] },
};

/** What GPT-NeoX's keys do to memory, in both spellings; sources as in the dialect's table. */
export const gptNeoxHelp: Readonly<Record<string, KeyHelp>> = {
  ...DASHED,
  ...Object.fromEntries(Object.entries(DASHED).map(([key, help]) => [key.replaceAll('_', '-'), help])),
  'zero_optimization.stage': {
    text: '1 shares the optimizer’s states among data-parallel ranks, 2 gradients as well, 3 weights too.',
    values: ['0', '1', '2', '3'],
  },
  'zero_optimization.cpu_offload': {
    text: 'Keeps the optimizer’s states on the host.',
    values: FLAG,
    byDefault: 'false',
  },
  'optimizer.type': {
    text: 'Optimizer of DeepSpeed: Adam keeps two states and an fp32 copy of each weight.',
  },
};
