import { count, word } from '../engine/readers';
import type { Pack } from '../dialect';
import { batch } from '../hydra/rules';

/** Scenes from text and images: threestudio-project/threestudio, which names its parts by their types. */
export const threestudio: Pack = {
  id: 'threestudio',
  project: 'threestudio-project/threestudio',
  extends: ['hydra'],
  evidence: { modules: ['threestudio'], keys: ['system_type'] },
  signature: { medium: ['system_type', 'data_type'], needs: ['system_type'] },
  quantities: {
    model: { keys: ['system_type'], read: word },
    microBatchSize: { keys: ['data.random_camera.batch_size'], read: batch },
    evalBatchSize: { keys: ['data.random_camera.eval_batch_size'], read: count },
    optimizer: { keys: ['system.optimizer.name'], read: word },
  },
};
