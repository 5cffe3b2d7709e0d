import type { KeyHelp } from '../dialect';

/** What the keys of the training-memory guide's configs do to memory. */
export const guideTrainingHelp: Readonly<Record<string, KeyHelp>> = {
  'data_loader.batch_size': {
    text: 'Anchors of one forward pass on each GPU. Each brings a positive and all negatives, through four encoders.',
  },
  n_negatives: {
    text: 'Negatives of each anchor: rows of a pass are batch × (2 + n_negatives) × 4 encoders. The strongest lever beside the batch.',
  },
  n_positives: {
    text: 'Positives that an anchor is paired with in turn: more rows of the data set, not of a batch.',
  },
  'data_loader.tokenization.max_length': {
    text: 'Length that texts are padded to, in tokens; each of four.',
  },
  'training.trainer.accumulate_grad_batches': {
    text: 'Batches added up before a step: the effective batch without its activations.',
  },
  'training.trainer.precision': {
    text: '`16-mixed` and `bf16-mixed` halve activations; the base stays in fp32.',
    values: ['32-true', '16-mixed', 'bf16-mixed', 'bf16-true', '16-true'],
  },
  'training.trainer.devices': { text: 'GPUs, each with a batch of its own.' },
  'model.base_model_name': {
    text: 'The encoder, which is loaded four times: titles, descriptions, exclusions, examples.',
  },
  'model.lora.r': { text: 'Rank of the adapters of each of the four encoders.' },
  'model.moe.num_experts': { text: 'Experts behind the encoders: small beside them.' },
  'data_loader.num_workers': { text: 'Processes that load data, on the host only.' },
  'loss.temperature': { text: 'Takes no memory.' },
};
