import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { count, word } from './engine/readers';
import { always, ampFlag, plainTraining, rawFlag, usually } from './shared/toolkit';

const COMMON = 'rl_games/common/a2c_common.py';

/** `multi_gpu` takes as many as torchrun starts; without it one GPU trains. */
function devices(run: RunReader): Quantity<number | 'auto'> {
  const key = 'params.config.multi_gpu';
  return run.flag(key)
    ? run.unknown('torchrun says how many processes there are.')
    : run.byDefault<number>(1, `${COMMON}: multi_gpu is False`);
}

/** rl_games' configs, those of Isaac Gym and Isaac Lab too; sources are files of Denys88/rl_games 262cf20. */
export const rlGames: Dialect = {
  id: 'rl-games',
  title: 'rl_games',
  role: 'run',
  framework: { name: 'rl-games', version: '1.6.1' },
  loader: 'omegaconf',
  signature: {
    strong: ['params.algo.name', 'params.config.minibatch_size', 'params.config.horizon_length'],
    medium: [
      'params.network.*',
      'params.model.name',
      'params.config.num_actors',
      'params.config.mini_epochs',
    ],
    weak: ['params.seed'],
    against: [],
    needs: ['params.algo.name', 'params.config.minibatch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining(COMMON),
    model: { keys: ['params.model.name'], read: word },
    task: {
      keys: ['params.algo.name'],
      read: value => (typeof value === 'string' ? { ok: value.startsWith('a2c') ? 'ppo' : value } : null),
    },
    microBatchSize: { keys: ['params.config.minibatch_size', 'params.config.batch_size'], read: count },
    gradAccum: usually(1, `${COMMON} steps after each minibatch`),
    seqLen: { keys: ['params.config.seq_len', 'params.config.seq_length'], read: count, unit: 'frames' },
    precision: ampFlag('params.config.mixed_precision', `${COMMON}: mixed_precision is False`),
    precisionRaw: rawFlag('params.config.mixed_precision'),
    optimizer: always('adam', `${COMMON}: optim.Adam`),
    accelerator: run => {
      const key = ['params.config.device', 'params.config.device_name'].find(name => run.has(name));
      return key === undefined
        ? run.byDefault('cuda', `${COMMON}: device is cuda:0`)
        : run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
    devices,
    nodes: usually(1, `${COMMON}: one process`),
  },
  launch: [
    {
      argv: ['python', 'runner.py', '--train', '--file', '{config}'],
      source: 'README.md; torchrun --nproc_per_node for several GPUs',
    },
  ],
  logs: [
    {
      pattern: String.raw`fps total: (?<samplesPerSecond>[\d.]+) epoch: (?<epoch>\d+)/(?<epochs>\d+)`,
      fields: ['samplesPerSecond', 'epoch', 'epochs'],
      example:
        'fps step: 65000 fps step and policy inference: 60000 fps total: 52000 epoch: 10/500 frames: 1310720',
      source: `${COMMON}: print_statistics`,
    },
  ],
  help: {
    'params.config.minibatch_size': {
      text: 'Transitions of one step of the optimizer. Has to divide `num_actors` × `horizon_length`.',
    },
    'params.config.horizon_length': {
      text: 'Steps of a rollout: `num_actors` × `horizon_length` transitions are on the GPU.',
    },
    'params.config.num_actors': { text: 'Environments side by side; in Isaac Gym all of them on the GPU.' },
    'params.config.mini_epochs': { text: 'Passes over a rollout. Takes no more memory.' },
    'params.config.mixed_precision': {
      text: 'Autocast in fp16.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'params.network.mlp.units': { text: 'Widths of the layers.' },
    'params.config.central_value_config': {
      text: 'A second network for values, with a minibatch of its own.',
    },
  },
};
