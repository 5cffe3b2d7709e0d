import { builtIn } from './defined/compile';
import file from './wandbSweep.yaml';
import type { Dialect } from './dialect';
import { sweepRuns } from './envelopes/wandb';

/** Sweeps of Weights & Biases: the program, and the values that it is started with. wandb 0.19. */
export const wandbSweep: Dialect = builtIn(file, {
  compose: sweepRuns,
});
