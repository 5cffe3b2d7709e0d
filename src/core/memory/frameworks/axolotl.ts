import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** Trainers of TRL on transformers' Trainer. */
export const axolotl: FrameworkProfile<'axolotl'> = {
  ...usual,
  id: 'axolotl',
  silencesDropout: true,
  // axolotl 0.19 asks for trl 1.9.
  pairTrl: '1.9',
  behavior: ({ expandableSegments }) => ({
    copiesOutputs: true,
    // loaders/adapter.py, find_all_linear_names.
    namesLinearLayers: true,
    // utils/__init__.py, set_pytorch_cuda_alloc_conf.
    expandableSegments: expandableSegments ?? true,
  }),
};
