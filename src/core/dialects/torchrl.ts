import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import { always, plainTraining, unsaid, usually } from './shared/toolkit';
import { plainBar } from '../data/forms/trainers';

const ROOT = 'sota-implementations';

/** Configs of TorchRL's implementations; sources are files of pytorch/rl ae9719f. */
export const torchrl: Dialect = {
  id: 'torchrl',
  title: 'TorchRL',
  role: 'run',
  framework: { name: 'torchrl', version: '0.10' },
  loader: 'omegaconf',
  signature: {
    strong: ['collector.frames_per_batch', 'collector.total_frames'],
    medium: [
      'loss.mini_batch_size',
      'loss.gamma',
      'env.env_name',
      'env.name',
      'replay_buffer.*',
      'buffer.*',
      'optim.batch_size',
    ],
    weak: ['logger.backend', 'optim.lr', 'compile.*'],
    against: ['trainer.*'],
    needs: ['collector.frames_per_batch', 'loss.mini_batch_size', 'buffer.batch_size', 'optim.batch_size'],
    least: 5,
  },
  quantities: {
    ...plainTraining(ROOT),
    model: unsaid('utils.py beside the config makes the networks.'),
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
    microBatchSize: {
      keys: ['loss.mini_batch_size', 'optim.batch_size', 'buffer.batch_size', 'replay_buffer.batch_size'],
      read: count,
    },
    gradAccum: usually(1, `${ROOT}: a step after each minibatch`),
    precision: usually('fp32', `${ROOT}: fp32`),
    optimizer: always('adam', `${ROOT}/*/utils.py: torch.optim.Adam`),
    accelerator: run => {
      const key = ['network.device', 'optim.device', 'device', 'collector.device'].find(name =>
        run.has(name),
      );
      if (key === undefined) return run.byDefault('auto', `${ROOT}: cuda if there is one`);
      return run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
    devices: always<number | 'auto'>(1, `${ROOT}: one device trains`),
    nodes: always(1, ROOT),
    compile: {
      keys: ['compile.compile'],
      read: flag,
      absent: { value: false, source: `${ROOT}: compile.compile` },
    },
    strategy: { keys: ['collector.backend'], read: word },
  },
  launch: [
    { argv: ['python', '{implementation}.py', '--config-name', '{name}'], source: `${ROOT}/README.md` },
  ],
  logs: [
    plainBar(
      '  3%|▎         | 30000/1000000 [00:14<07:45, 2083.33it/s]',
      'pytorch/rl sota-implementations: tqdm over frames',
    ),
  ],
  help: {
    'loss.mini_batch_size': { text: 'Transitions of one step of the optimizer.' },
    'collector.frames_per_batch': {
      text: 'Transitions that are collected before training: they are on `collector.device`.',
    },
    'buffer.buffer_size': {
      text: 'Transitions that are kept; where, the storage says: on disk with `scratch_dir`.',
    },
    'replay_buffer.size': { text: 'Transitions that are kept.' },
    'optim.device': { text: 'Where the networks train; empty takes cuda where there is one.' },
    'compile.cudagraphs': {
      text: 'Records graphs: their memory is held for the whole run.',
      values: ['True', 'False'],
    },
  },
};
