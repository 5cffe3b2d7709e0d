import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { always, cuda, effectiveOfMicro, plainTraining, unsaid, usually, workers } from './shared/toolkit';
import { lightningLogs } from './shared/lightningLogs';

/** Recipes of Asteroid; sources are files of asteroid-team/asteroid 92c8d83. */
export const asteroid: Dialect = {
  id: 'asteroid',
  title: 'Asteroid',
  role: 'run',
  framework: { name: 'asteroid', version: '0.7.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['filterbank.*', 'masknet.*', 'training.half_lr'],
    medium: [
      'filterbank.n_filters',
      'data.n_src',
      'data.segment',
      'training.early_stop',
      'data.nondefault_nsrc',
    ],
    weak: ['training.batch_size', 'optim.optimizer', 'optim.lr', 'data.task', 'training.epochs'],
    against: ['train_conf.*', 'trainer.*'],
    needs: ['training.batch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining('egs/*/train.py'),
    model: unsaid('The recipe’s own model.py names it.'),
    task: always('speech_separation', 'asteroid: recipes for source separation'),
    microBatchSize: { keys: ['training.batch_size'], read: count },
    effectiveBatch: effectiveOfMicro,
    gradAccum: usually(1, 'pytorch_lightning Trainer: accumulate_grad_batches'),
    precision: usually('fp32', 'pytorch_lightning Trainer: precision is 32'),
    optimizer: { keys: ['optim.optimizer'], read: word },
    accelerator: cuda('egs/librimix/DPRNNTasNet/train.py L90: gpu if there is one'),
    devices: unsaid('The recipe takes all GPUs that it sees.'),
    numWorkers: workers(['training.num_workers']),
  },
  launch: [
    {
      argv: ['python', 'train.py', '--exp_dir', 'exp/NAME'],
      source: 'egs/librimix/DPRNNTasNet/run.sh; keys become options',
    },
  ],
  logs: lightningLogs,
  help: {
    'training.batch_size': { text: 'Mixtures of one GPU, each `data.segment` seconds long.' },
    'data.segment': { text: 'Seconds of a training segment: activations grow with it in proportion.' },
    'filterbank.stride': {
      text: 'Samples between frames: half the stride is twice the frames, and twice the activations.',
    },
    'masknet.chunk_size': { text: 'Frames of a chunk in dual-path models.' },
  },
};
