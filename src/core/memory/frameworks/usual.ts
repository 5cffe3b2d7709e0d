import type { FrameworkProfile } from './profile';

/** A script on transformers without a trainer; so is a framework taken of which nothing is known. */
export const usual: FrameworkProfile = {
  id: '',
  models: 'transformers',
  families: null,
  weights: 'not known',
  fp8: 'not modeled',
  tensorParallel: 'heads',
  sharding: 'as configured',
  pipelineDividesBatch: false,
  silencesDropout: false,
  distills: false,
  pairLoss: null,
  pairTrl: null,
  ppoLogits: 'copies',
  checkpointsTrainedLayers: false,
  staticCache: null,
  isPython: true,
  serving: null,
  loss: () => 'standard',
  optimizer: name => ({ name }),
  segments: (_modelType, stated) => stated,
  behavior: () => ({}),
};
