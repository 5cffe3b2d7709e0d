import { builtIn } from './defined/compile';
import file from './torchrl.yaml';
import type { Dialect } from './dialect';

const ROOT = 'sota-implementations';

/** Configs of TorchRL's implementations; sources are files of pytorch/rl ae9719f. */
export const torchrl: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const names = [
        'ppo',
        'dqn',
        'sac',
        'a2c',
        'td3',
        'ddpg',
        'impala',
        'redq',
        'iql',
        'cql',
        'dreamer',
        'discrete_sac',
        'crossq',
        'grpo',
      ];
      const found = names.find(name => run.pathWords.includes(name));
      return found === undefined
        ? run.unknown('The folder of the implementation says it.')
        : run.derived(found, [], `the config lies in ${found}`);
    },
    accelerator: run => {
      const key = ['network.device', 'optim.device', 'device', 'collector.device'].find(name =>
        run.has(name),
      );
      if (key === undefined) return run.byDefault('auto', `${ROOT}: cuda if there is one`);
      return run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
  },
});
