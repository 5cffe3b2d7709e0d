import { word } from '../engine/readers';
import type { Pack } from '../dialect';
import { ownPrecision } from '../hydra/rules';

/** Interatomic potentials: mir-group/nequip. */
export const nequip: Pack = {
  id: 'nequip',
  project: 'mir-group/nequip',
  extends: ['hydra'],
  evidence: { modules: ['nequip'], classKeys: ['training_module.model._target_'] },
  task: 'interatomic_potential',
  quantities: {
    model: { keys: ['training_module.model._target_'], read: word },
    optimizer: { keys: ['training_module.optimizer._target_'], read: word },
    ...ownPrecision('training_module.model.model_dtype', { float32: 'fp32', float64: 'fp64' }),
  },
};
