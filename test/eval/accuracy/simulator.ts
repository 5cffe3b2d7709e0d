import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';

/**
 * What the simulation on fake tensors does otherwise than a live run (shared/memory/simulate.py): models are built of their
 * config and hold no checkpoint, its 4-bit layers are of exactly torch's class (quantise4) and PEFT's layers take what they
 * are given, tensors are counted instead of torch's blocks, and cuBLAS is left out on purpose.
 */
export const simulator: Partial<Behavior> = {
  adaptersTakeInputAsIs: false,
  madeOfConfig: true,
  quantizesDerived: false,
  countsRests: false,
  workspaces: 0,
};
