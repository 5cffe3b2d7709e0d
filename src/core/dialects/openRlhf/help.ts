import type { KeyHelp } from '../dialect';

/** What OpenRLHF's arguments do to memory, by their dotted names. */
export const openRlhfHelp: Readonly<Record<string, KeyHelp>> = {
  'train.micro_batch_size': {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
    byDefault: '8, for PPO 1',
  },
  'train.batch_size': {
    text: 'Rows of one optimizer step over all GPUs; accumulation follows from it and takes no activations.',
    byDefault: '128',
  },
  'data.max_len': { text: 'Tokens of a row, for PPO of prompt and answer together.', byDefault: '2048' },
  'ds.zero_stage': {
    text: '1 shares the optimizer’s states among GPUs, 2 gradients as well, 3 weights too.',
    values: ['0', '1', '2', '3'],
    byDefault: '2',
  },
  'ds.adam_offload': { text: 'Keeps the optimizer’s states and the fp32 copy of the weights on the host.' },
  'ds.packing_samples': { text: 'Rows lie one behind the other without padding.' },
  'model.gradient_checkpointing_enable': {
    text: 'Keeps only the inputs of layers and computes the rest again in backward. Off unless it is given.',
  },
  'actor.gradient_checkpointing_enable': {
    text: 'Keeps only the inputs of layers and computes the rest again in backward. Off unless it is given.',
  },
  'vllm.gpu_memory_utilization': {
    text: 'Share of each GPU that the engine takes, beside training where models are colocated.',
  },
};
