import type { Launch } from '../dialect';

export const levanterLaunch: readonly Launch[] = [
  {
    argv: ['python', '-m', 'levanter.main.train_lm', '--config_path', '{config}'],
    source: 'levanter README; keys follow as --trainer.train_batch_size 64. JAX takes all GPUs it sees',
  },
];
