import { count } from '../engine/readers';
import type { Pack } from '../dialect';

/** Masked diffusion of text: kuleshov-group/mdlm. */
export const mdlm: Pack = {
  id: 'mdlm',
  project: 'kuleshov-group/mdlm',
  extends: ['hydra'],
  evidence: { keys: ['loader.global_batch_size'] },
  signature: { medium: ['loader.global_batch_size'], needs: ['loader.global_batch_size'] },
  quantities: {
    globalBatchSize: { keys: ['loader.global_batch_size'], read: count },
    seqLen: { keys: ['model.length'], read: count },
  },
  help: {
    'loader.global_batch_size': {
      text: 'Samples of a step on all GPUs together; each GPU’s share and accumulation follow from it.',
    },
  },
};
