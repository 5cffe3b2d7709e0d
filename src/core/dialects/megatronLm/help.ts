import type { KeyHelp } from '../dialect';

/** What Megatron-LM's arguments do to memory. */
export const megatronLmHelp: Readonly<Record<string, KeyHelp>> = {
  micro_batch_size: {
    text: 'Rows of one forward pass of each replica. Activations and logits grow with it in proportion.',
  },
  global_batch_size: {
    text: 'Rows of one step over all replicas; micro batches are added up until it is reached.',
    byDefault: 'one micro batch of each replica',
  },
  seq_length: { text: 'Tokens of a row.' },
  tensor_model_parallel_size: {
    text: 'GPUs that share each layer’s matrices, and with them activations within the layers.',
    byDefault: '1',
  },
  pipeline_model_parallel_size: { text: 'GPUs that have some layers each.', byDefault: '1' },
  context_parallel_size: { text: 'GPUs that share each row’s tokens.', byDefault: '1' },
  sequence_parallel: { text: 'Tensor-parallel ranks share the tokens between the layers’ products, too.' },
  use_distributed_optimizer: {
    text: 'Data-parallel ranks share the optimizer’s states and the fp32 copy of the weights.',
  },
  recompute_granularity: {
    text: '`full` keeps only the inputs of layers, `selective` computes attention again.',
    values: ['full', 'selective'],
  },
};
