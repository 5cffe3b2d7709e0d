import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What lingua's keys do to memory; sources as in the dialect's table. */
export const linguaHelp: Readonly<Record<string, KeyHelp>> = {
  'data.batch_size': {
    text: 'Rows of one forward pass of each data-parallel rank. Activations and logits grow with it in proportion.',
  },
  'data.seq_len': { text: 'Tokens of a row.' },
  grad_acc_steps: { text: 'Batches added up before a step. Takes no more activations.' },
  'distributed.fsdp_type': {
    text: '`full_shard` shares weights, gradients and states; `no_shard` keeps a copy of them on each GPU.',
    values: ['no_shard', 'full_shard'],
    byDefault: 'no_shard',
  },
  'distributed.dp_shard': { text: 'GPUs among which everything is shared out.', byDefault: '1' },
  'distributed.dp_replicate': { text: 'Groups of such GPUs.', byDefault: '1' },
  'distributed.tp_size': {
    text: 'GPUs that share each layer’s matrices. Needs `full_shard`.',
    byDefault: '1',
  },
  'distributed.model_dtype': {
    text: 'Dtype of the products. What is sharded, and the optimizer’s states, stay fp32.',
    values: ['fp32', 'fp16', 'bf16'],
  },
  'distributed.selective_activation_checkpointing': {
    text: 'Keeps what is dear to compute, and computes the rest of each layer again in backward.',
    values: FLAG,
  },
  'distributed.compile': { text: 'torch.compile: fused kernels keep less for backward.', values: FLAG },
};
