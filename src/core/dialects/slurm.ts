import { builtIn } from './defined/compile';
import file from './slurm.yaml';
import type { Dialect } from './dialect';
import { asksForGpus, batchRuns } from './envelopes/slurm';

/** Slurm batch scripts: `#SBATCH` options, and the programs that the shell starts. sbatch(1) of Slurm 24.05. */
export const slurm: Dialect = builtIn(file, {
  accepts: asksForGpus,
  compose: batchRuns,
});
