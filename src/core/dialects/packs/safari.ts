import { count, word } from '../engine/readers';
import type { Pack } from '../dialect';

/** Long convolutions: HazyResearch/safari and its kin (S4, Hyena), which name classes by `_name_`. */
export const safari: Pack = {
  id: 'safari',
  project: 'HazyResearch/safari 02220c6',
  extends: ['hydra'],
  evidence: { keys: ['model._name_', 'optimizer._name_', 'train.gpu_mem', 'loader.batch_size_eval'] },
  signature: { medium: ['model._name_', 'train.global_batch_size'], needs: ['train.global_batch_size'] },
  quantities: {
    model: { keys: ['model._name_'], read: word },
    optimizer: { keys: ['optimizer._name_'], read: word },
    evalBatchSize: { keys: ['loader.batch_size_eval'], read: count },
  },
};
