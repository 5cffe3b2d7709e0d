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
};
