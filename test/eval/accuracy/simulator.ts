import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';

/**
 * Differences between the simulation on fake tensors and a real run (shared/memory/simulate.py): models are created
 * from their config without a checkpoint, its 4-bit layers have exactly torch's class (quantise4) and PEFT's layers
 * take their input unchanged, tensors are counted instead of torch's blocks, and cuBLAS is deliberately omitted.
 */
export const simulator: Partial<Behavior> = {
  adaptersTakeInputAsIs: false,
  madeOfConfig: true,
  quantizesDerived: false,
  countsRests: false,
  workspaces: 0,
};
