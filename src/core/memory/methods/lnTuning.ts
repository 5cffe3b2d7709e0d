import type { AdapterMethod } from '../adapterMethod';

/** Copies of the norms are trained, in the dtype of the model, and nothing else. */
export const lnTuning: AdapterMethod = {
  names: ['ln_tuning'],
  title: 'LayerNorm tuning',
  source: 'peft 0.21.2, tuners/ln_tuning/layer.py',
  ranked: false,
  targets: 'none',
  trainsNorms: true,
  linear: ({ base }) => base,
};
