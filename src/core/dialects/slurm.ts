import type { Dialect } from './dialect';
import { SBATCH } from './envelopes/batchScript';
import { asksForGpus, batchRuns } from './envelopes/slurm';

/** Batch scripts of Slurm: options behind `#SBATCH`, and what the shell starts. sbatch(1) of Slurm 24.05. */
export const slurm: Dialect = {
  id: 'slurm',
  title: 'Slurm',
  role: 'part',
  framework: { name: 'slurm', version: '24.05' },
  loader: 'pyyaml',
  signature: {
    strong: [SBATCH],
    medium: [],
    weak: [],
    against: ['apiVersion'],
    needs: [SBATCH],
    least: 3,
    mentions: String.raw`/^#SBATCH/m`,
    accepts: asksForGpus,
  },
  quantities: {},
  launch: [{ argv: ['sbatch', '{config}'], handsTo: 'Slurm', source: 'sbatch(1)' }],
  compose: batchRuns,
};
