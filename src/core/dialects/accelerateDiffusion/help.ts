import type { KeyHelp, Launch } from '../dialect';

/** The words of a key in each section that these scripts put it in. */
const inSections = (name: string, help: KeyHelp): Readonly<Record<string, KeyHelp>> =>
  Object.fromEntries(['', 'training.', 'solver.'].map(section => [`${section}${name}`, help]));

const perGpu = 'of one forward pass on each GPU: activations grow with them in proportion.';

/** What the keys of diffusion scripts on accelerate do to memory. */
export const accelerateDiffusionHelp: Readonly<Record<string, KeyHelp>> = {
  ...inSections('train_batch_size', { text: `Images or clips ${perGpu}` }),
  ...inSections('gradient_accumulation_steps', {
    text: 'Batches added up before a step. Takes no activations; gradients stay allocated between them.',
    byDefault: '1',
  }),
  ...inSections('mixed_precision', {
    text: 'Dtype of autocast, and of all weights that are frozen; trained weights stay in fp32.',
    values: ['no', 'fp16', 'bf16'],
    byDefault: 'the launcher’s',
  }),
  ...inSections('gradient_checkpointing', {
    text: 'Computes blocks again in backward instead of keeping their activations.',
    values: ['true', 'false'],
  }),
  ...inSections('use_8bit_adam', {
    text: 'Optimizer states of two bytes a parameter instead of eight (bitsandbytes).',
    values: ['true', 'false'],
  }),
  ...inSections('enable_xformers_memory_efficient_attention', {
    text: 'Attention without its matrix of scores: what it keeps grows with the tokens, not with their square.',
    values: ['true', 'false'],
  }),
  ...inSections('use_ema', {
    text: 'Keeps a smoothed copy of the trained weights: four bytes a parameter more.',
    values: ['true', 'false'],
  }),
  num_frames: { text: 'Frames of a clip: activations grow with them in proportion.' },
  image_size: { text: 'Side of images in pixels: tokens grow with its square.' },
  rank: { text: 'Rank of the adapters; the base stays frozen.' },
  validation_steps: {
    text: 'Steps between samples, which are drawn with the whole pipeline beside the training state.',
  },
};

/** The scripts are their projects' own; accelerate starts them all. */
export const accelerateDiffusionLaunch: readonly Launch[] = [
  {
    argv: ['accelerate', 'launch', '--num_processes', '{gpus}', '{script}', '--config', '{config}'],
    source: 'XLabs-AI/x-flux README.md; AnimateDiff and Moore-AnimateAnyone READMEs',
  },
];
