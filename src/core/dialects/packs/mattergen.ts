import { count, countOrNone, word } from '../engine/readers';
import type { Pack } from '../dialect';

/** Crystals by diffusion: microsoft/mattergen. */
export const mattergen: Pack = {
  id: 'mattergen',
  project: 'microsoft/mattergen',
  extends: ['hydra'],
  evidence: { modules: ['mattergen'], classKeys: ['lightning_module._target_'] },
  task: 'crystal_generation',
  quantities: {
    model: { keys: ['lightning_module._target_'], read: word },
    microBatchSize: { keys: ['data_module.batch_size.train'], read: count },
    evalBatchSize: { keys: ['data_module.batch_size.val'], read: count },
    numWorkers: { keys: ['data_module.num_workers.train'], read: countOrNone },
    optimizer: { keys: ['lightning_module.optimizer_partial._target_'], read: word },
  },
};
