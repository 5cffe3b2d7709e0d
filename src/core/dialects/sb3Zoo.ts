import { builtIn } from './defined/compile';
import file from './sb3Zoo.yaml';
import type { Dialect } from './dialect';

/**
 * RL Baselines3 Zoo's hyperparameters: one profile per environment; sources are files of DLR-RM/rl-baselines3-zoo
 * 22e3ff2.
 */
export const sb3Zoo: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const name = run.pathWords.at(-1) ?? '';
      return run.derived(name, [], 'the file is named by its algorithm');
    },
  },
});
