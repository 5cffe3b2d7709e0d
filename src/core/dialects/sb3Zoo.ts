import type { Dialect } from './dialect';
import { always, plainTraining, unsaid, usually } from './shared/toolkit';
import { sb3Forms } from '../data/forms/trainers';

const ZOO = 'rl_zoo3/exp_manager.py';
const PROFILE = 'Each environment has its own, and --env of the command line picks one.';

/** RL Baselines3 Zoo's hyperparameters: one profile for each environment; sources are files of DLR-RM/rl-baselines3-zoo 22e3ff2. */
export const sb3Zoo: Dialect = {
  id: 'sb3-zoo',
  title: 'RL Baselines3 Zoo',
  role: 'run',
  framework: { name: 'rl-zoo3', version: '2.7.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['*.policy~Policy$', '*.n_timesteps'],
    medium: ['*.n_envs', '*.env_wrapper', '*.buffer_size', '*.gradient_steps', '*.policy_kwargs', '*.gamma'],
    weak: ['*.batch_size', '*.learning_rate'],
    against: ['params.*', 'hydra.*'],
    needs: ['*.n_timesteps'],
    least: 6,
  },
  quantities: {
    ...plainTraining(ZOO),
    model: unsaid(PROFILE),
    task: run => {
      const name = run.pathWords.at(-1) ?? '';
      return run.derived(name, [], 'the file is named by its algorithm');
    },
    microBatchSize: unsaid(PROFILE),
    gradAccum: usually(1, 'stable_baselines3: a step after each minibatch'),
    precision: usually('fp32', 'stable_baselines3: fp32'),
    optimizer: always('adam', 'stable_baselines3/common/policies.py: torch.optim.Adam'),
    accelerator: usually('auto', 'rl_zoo3/train.py: --device is auto'),
    devices: unsaid(PROFILE),
    nodes: unsaid(PROFILE),
  },
  launch: [
    {
      argv: ['python', '-m', 'rl_zoo3.train', '--algo', '{name}', '--env', 'ENV', '-c', '{config}'],
      source: 'README.md',
    },
  ],
  logs: sb3Forms,
  help: {
    '*.n_envs': {
      text: 'Environments side by side: observations of all of them lie in the rollout.',
      byDefault: '1',
    },
    '*.n_steps': {
      text: 'Steps of each environment before an update; n_envs × n_steps observations are kept.',
    },
    '*.batch_size': {
      text: 'Observations of one minibatch: what the network sees at a time.',
      byDefault: '64, off-policy 256',
    },
    '*.buffer_size': {
      text: 'Transitions of the replay buffer, which lies in the machine’s memory, not on the GPU. Images make it many GB.',
      byDefault: '1000000',
    },
    '*.gradient_steps': { text: 'Updates after each rollout; they take time and no memory.', byDefault: '1' },
    '*.n_timesteps': {
      text: 'Steps of the environment in all; the learning rate’s schedule ends with them.',
    },
    '*.policy': {
      text: 'The network: an MLP for vectors, a CNN for images.',
      values: ['MlpPolicy', 'CnnPolicy', 'MultiInputPolicy'],
    },
    '*.policy_kwargs': { text: 'Sizes of the network: `net_arch`, `features_extractor_class`.' },
    '*.frame_stack': { text: 'Frames of an observation: each takes as much as one.' },
    '*.env_wrapper': { text: 'What changes observations before the network sees them.' },
  },
};
