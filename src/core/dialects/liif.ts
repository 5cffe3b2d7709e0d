import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { madeFor, noAccumulation, onCuda, pixels, shareOf, wholeModel, writesGlobal } from './shared/vision';

/** LIIF; sources are lines of yinboc/liif 4c833f8. */
export const liif: Dialect = {
  id: 'liif',
  title: 'LIIF',
  role: 'run',
  framework: { name: 'liif', version: '4c833f8' },
  loader: 'pyyaml',
  signature: {
    strong: ['train_dataset.batch_size', 'train_dataset.wrapper.*', 'test_dataset.wrapper.*'],
    medium: ['model.name', 'optimizer.name', 'epoch_max', 'data_norm.*', 'eval_bsize'],
    weak: [],
    against: ['trainer.*'],
    needs: ['train_dataset.wrapper.*'],
    least: 5,
  },
  quantities: {
    ...wholeModel('train_liif.py'),
    model: { keys: ['model.name'], read: word },
    task: madeFor('super_resolution', 'train_liif.py'),
    globalBatchSize: { keys: ['train_dataset.batch_size'], read: count },
    microBatchSize: shareOf,
    gradAccum: noAccumulation('train_liif.py'),
    evalBatchSize: { keys: ['val_dataset.batch_size'], read: count, scope: 'global' },
    imageSize: { keys: ['train_dataset.wrapper.args.inp_size'], read: pixels('hw') },
    precision: run => run.byDefault('fp32', 'train_liif.py: no autocast'),
    optimizer: { keys: ['optimizer.name'], read: word },
    nodes: run => run.byCode(1, 'train_liif.py: one process'),
    strategy: run => run.byCode('DataParallel', 'train_liif.py L141: over the GPUs of --gpu'),
    accelerator: onCuda('train_liif.py: .cuda()'),
    numWorkers: run => run.byCode(8, 'train_liif.py L51'),
  },
  writers: writesGlobal('train_dataset.batch_size'),
  launch: [
    {
      argv: ['python', 'train_liif.py', '--config', '{config}', '--gpu', '0'],
      source: 'LIIF README.md; --gpu lists the GPUs of DataParallel',
    },
  ],
  logs: [
    {
      pattern: String.raw`epoch (?<epoch>\d+)/(?<epochs>\d+), train: loss=(?<loss>[\d.]+)`,
      fields: ['epoch', 'epochs', 'loss'],
      example: 'epoch 1/1000, train: loss=0.0512, val: psnr=28.1234, 2.1m 2.1m/35.0h',
      source: 'train_liif.py',
    },
  ],
  help: {
    'train_dataset.batch_size': { text: 'Patches of one step over all GPUs: DataParallel cuts them up.' },
    'train_dataset.wrapper.args.inp_size': { text: 'Side of the input patches.' },
    'train_dataset.wrapper.args.sample_q': {
      text: 'Points that are asked for in each patch: the implicit network runs on each of them.',
    },
  },
};
