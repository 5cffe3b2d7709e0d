import type { Dialect } from './dialect';
import { sweepRuns } from './envelopes/wandb';

/** Sweeps of Weights & Biases: the program that is started, and the values that it is started with. wandb 0.19. */
export const wandbSweep: Dialect = {
  id: 'wandb-sweep',
  title: 'W&B sweep',
  role: 'part',
  framework: { name: 'wandb', version: '0.19.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['method~^(grid|random|bayes)$', 'program'],
    medium: ['parameters.*.values', 'parameters.*.value', 'metric.name', 'metric.goal'],
    weak: ['command[]', 'early_terminate', 'project'],
    against: ['apiVersion', 'services', 'trainer', 'model'],
    needs: ['parameters'],
    least: 6,
  },
  quantities: {},
  launch: [
    {
      argv: ['wandb', 'sweep', '{config}'],
      handsTo: 'Weights & Biases',
      source: 'docs.wandb.ai/guides/sweeps',
    },
  ],
  compose: sweepRuns,
};
