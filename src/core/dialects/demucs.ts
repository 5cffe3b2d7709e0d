import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  always,
  cuda,
  effectiveOfShared,
  plainTraining,
  shareOfBatch,
  unsaid,
  usually,
  workers,
} from './shared/toolkit';
import { doraForms } from '../data/forms/trainers';

/** Demucs' configs; sources are files of facebookresearch/demucs e976d93. */
export const demucs: Dialect = {
  id: 'demucs',
  title: 'Demucs',
  role: 'run',
  framework: { name: 'demucs', version: '4.1' },
  loader: 'omegaconf',
  signature: {
    strong: ['hdemucs.*', 'htdemucs.*', 'dset.musdb'],
    medium: [
      'demucs.*',
      'augment.remix.*',
      'dset.segment',
      'use_train_segment',
      'model_segment',
      'dset.use_musdb',
    ],
    weak: ['batch_size', 'misc.num_workers', 'test.sdr'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['batch_size', 'model'],
    least: 6,
  },
  quantities: {
    ...plainTraining('demucs/solver.py'),
    model: { keys: ['model'], read: word },
    task: always('speech_separation', 'demucs separates sources'),
    // demucs/train.py L172-173: batch_size is divided by the number of GPUs.
    globalBatchSize: { keys: ['batch_size'], read: count },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    gradAccum: usually(1, 'demucs/solver.py steps after each batch'),
    seqLen: { keys: ['dset.segment'], read: count, unit: 'seconds of audio' },
    precision: always('fp32', 'demucs/solver.py: no autocast'),
    optimizer: {
      keys: ['optim.optim'],
      read: word,
      absent: { value: 'adam', source: 'conf/config.yaml: optim.optim' },
    },
    accelerator: cuda('demucs/solver.py: cuda'),
    devices: unsaid('dora takes all GPUs that it sees, or those of the cluster.'),
    numWorkers: workers(['misc.num_workers'], 10, 'conf/config.yaml: misc.num_workers'),
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'batch_size counts what all GPUs share.' }) },
  launch: [{ argv: ['dora', 'run', '-d'], source: 'docs/training.md' }],
  logs: doraForms,
  help: {
    batch_size: { text: 'Segments of all GPUs together: each takes its share.' },
    'dset.segment': { text: 'Seconds of a segment: activations grow with it in proportion.' },
    'augment.remix.group_size': {
      text: 'Segments whose sources are mixed anew: has to divide the share of a GPU.',
    },
    'ema.batch': { text: 'Decays of smoothed copies, each a copy of the weights, updated after each batch.' },
    'ema.epoch': { text: 'Decays of smoothed copies, each a copy of the weights, updated after each epoch.' },
    'hdemucs.channels': { text: 'Channels of the first layer: weights grow with its square.' },
    'misc.num_workers': { text: 'Processes that load data, on the host only.' },
  },
};
