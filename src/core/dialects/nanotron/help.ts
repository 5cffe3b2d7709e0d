import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What nanotron's keys do to memory; sources as in the dialect's table. */
export const nanotronHelp: Readonly<Record<string, KeyHelp>> = {
  'tokens.micro_batch_size': {
    text: 'Rows of one forward pass of each data-parallel rank. Activations and logits grow with it in proportion.',
  },
  'tokens.batch_accumulation_per_replica': {
    text: 'Micro batches added up before a step; with pipeline stages they are what fills the pipeline.',
  },
  'tokens.sequence_length': { text: 'Tokens of a row.' },
  'parallelism.dp': { text: 'Replicas. GPUs are dp × tp × pp, times context and expert ranks.' },
  'parallelism.tp': { text: 'GPUs that share each layer’s matrices.' },
  'parallelism.pp': { text: 'GPUs that have some layers each.' },
  'parallelism.pp_engine': {
    text: '`1f1b` holds activations of as many micro batches as there are stages, `afab` of all of them.',
    values: ['1f1b', 'afab'],
    byDefault: 'afab',
  },
  'parallelism.tp_mode': {
    text: '`REDUCE_SCATTER` shares norms and residuals by tokens among tensor ranks: less is kept for backward.',
    values: ['ALL_REDUCE', 'REDUCE_SCATTER'],
    byDefault: 'ALL_REDUCE',
  },
  'parallelism.recompute_layer': {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: FLAG,
    byDefault: 'false',
  },
  'optimizer.zero_stage': {
    text: '1 shares the optimizer’s states and fp32 copies among replicas.',
    values: ['0', '1'],
  },
  'optimizer.accumulate_grad_in_fp32': {
    text: 'An fp32 copy of all gradients and of the weights beside those in 16 bits.',
    values: FLAG,
  },
  'model.dtype': { text: 'Dtype of weights and products.', values: ['bfloat16', 'float16', 'float32'] },
};
