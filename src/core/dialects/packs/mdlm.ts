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
    seqLen: { keys: ['model.length'], read: count },
  },
};
