import type { KeyHelp } from '../dialect';

/** What SpeechBrain's keys do to memory; sources as in the dialect's table. */
export const speechbrainHelp: Readonly<Record<string, KeyHelp>> = {
  batch_size: { text: 'Recordings of one process, padded to the longest. Ignored with `dynamic_batching`.' },
  dynamic_batching: {
    text: 'Fills batches up to a total of padded lengths: `max_batch_length` decides the memory, and `batch_size` says nothing.',
    values: ['True', 'False'],
    byDefault: 'False',
  },
  max_batch_length_train: {
    text: 'Longest batch of one process as the sum of padded lengths, in the recipe’s unit (seconds of audio or frames). Activations grow with it in proportion.',
  },
  max_batch_length_val: {
    text: 'As for training, for batches of validation, where beam search takes several hypotheses.',
  },
  max_batch_ex: { text: 'Most recordings in a dynamic batch, whatever their length.' },
  grad_accumulation_factor: {
    text: 'Batches whose gradients are added up before a step. Takes no more activations.',
    byDefault: '1',
  },
  precision: {
    text: 'Autocast in the forward pass: activations of products in 16 bits. Weights, gradients and states stay fp32.',
    values: ['fp32', 'fp16', 'bf16'],
    byDefault: 'fp32',
  },
  auto_mix_prec: { text: 'Older name for `precision: fp16`.', values: ['True', 'False'] },
  avoid_if_longer_than: {
    text: 'Leaves out longer recordings, in seconds: they are what a padded batch is as long as.',
  },
  num_workers: { text: 'Processes that load data, on the host only.' },
  gradient_checkpointing: {
    text: 'Some encoders from the hub compute their layers again in backward.',
    values: ['True', 'False'],
  },
};
