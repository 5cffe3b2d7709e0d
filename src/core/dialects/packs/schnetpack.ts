import { word } from '../engine/readers';
import type { Pack } from '../dialect';

/** Interatomic potentials: atomistic-machine-learning/schnetpack. */
export const schnetpack: Pack = {
  id: 'schnetpack',
  project: 'atomistic-machine-learning/schnetpack',
  extends: ['hydra'],
  evidence: { modules: ['schnetpack'] },
  task: 'interatomic_potential',
  quantities: {
    optimizer: { keys: ['task.optimizer_cls'], read: word },
  },
};
