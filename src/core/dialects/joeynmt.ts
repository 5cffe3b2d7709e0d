import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  accumulation,
  always,
  ampFlag,
  counted,
  effectiveOfShared,
  plainTraining,
  rawFlag,
  shareOfBatch,
  workers,
} from './shared/toolkit';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import type { Quantity, Unit } from '../spec/quantity';

const unitOf = (run: RunReader, key: string): Unit =>
  (run.word(key) ?? 'sentence') === 'token' ? 'tokens' : 'sentences';

/** DataParallel divides batches of validation as those of training. */
function evalBatch(run: RunReader): Quantity<number> {
  const key = ['testing.batch_size', 'training.eval_batch_size'].find(name => run.has(name));
  if (key === undefined) return run.unknown('testing.batch_size is not set.');
  const total = counted(run, key, unitOf(run, 'testing.batch_type')) ?? run.unknown(`${key} is no number.`);
  const isCpu = run.get('gpus').value === 0;
  if (!isCpu) return shareOfGlobal(run, total);
  return {
    ...run.derived(total.value, [key, 'gpus'], 'all on the CPU'),
    ...(total.value && { total: total.value }),
  };
}

/** JoeyNMT's configs; sources are files of joeynmt/joeynmt cdc4d03. */
export const joeynmt: Dialect = {
  id: 'joeynmt',
  title: 'JoeyNMT',
  role: 'run',
  framework: { name: 'joeynmt', version: '2.3.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['joeynmt_version', 'training.batch_multiplier', 'training.batch_type'],
    medium: [
      'data.src.*',
      'data.trg.*',
      'use_cuda',
      'testing.*',
      'model.encoder.*',
      'model.decoder.*',
      'training.keep_best_ckpts',
    ],
    weak: ['model_dir'],
    against: [],
    needs: ['training.batch_size', 'training.optimizer', 'training.epochs', 'training.updates'],
    least: 6,
  },
  quantities: {
    ...plainTraining('joeynmt/training.py'),
    model: { keys: ['model.encoder.type'], read: word },
    task: always('translation', 'joeynmt/training.py'),
    // training.py L337-339: batch_size // n_gpu.
    globalBatchSize: run =>
      counted(run, 'training.batch_size', unitOf(run, 'training.batch_type')) ??
      run.unknown('training.batch_size is not set.'),
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evalBatch,
    gradAccum: accumulation('training.batch_multiplier', 'joeynmt/config.py: batch_multiplier is 1'),
    seqLen: { keys: ['data.src.max_length', 'data.max_sent_length'], read: count },
    precision: run =>
      run.has('training.fp16')
        ? ampFlag('training.fp16', '')(run)
        : ampFlag('fp16', 'joeynmt/config.py: fp16 is False')(run),
    precisionRaw: run => rawFlag(run.has('training.fp16') ? 'training.fp16' : 'fp16')(run),
    optimizer: {
      keys: ['training.optimizer'],
      read: word,
      absent: { value: 'sgd', source: 'joeynmt/builders.py' },
    },
    accelerator: run => {
      const on = ['use_cuda', 'training.use_cuda'].find(key => run.has(key));
      if (on === undefined) return run.byDefault('cuda', 'joeynmt/config.py: use_cuda is True');
      return run.at(on, run.flag(on) ? 'cuda' : 'cpu');
    },
    devices: run => {
      if (run.get('accelerator').value !== 'cpu') return run.unknown('All GPUs that are visible are taken.');
      return run.at(['use_cuda', 'training.use_cuda'], 0);
    },
    nodes: run =>
      run.get('accelerator').value === 'cpu'
        ? run.unknown('Nothing is distributed.')
        : run.unknown('The launcher says it.'),
    gpus: run =>
      run.get('devices').value === 0
        ? run.derived(0, ['devices'], 'use_cuda is off')
        : run.unknown('The number of GPUs is not in the files.'),
    numWorkers: workers(['num_workers', 'training.num_workers']),
  },
  details: { paddedRows: run => run.byCode(true, 'joeynmt/batch.py: rows are padded') },
  writers: { microBatchSize: () => ({ ok: false, why: 'training.batch_size counts what all GPUs share.' }) },
  launch: [{ argv: ['python', '-m', 'joeynmt', 'train', '{config}'], source: 'joeynmt/__main__.py' }],
  logs: [
    {
      pattern: String.raw`Epoch\s+(?<epoch>\d+), Step:\s+(?<step>\d+), Batch Loss:\s+(?<loss>[\d.]+),.*?Tokens per Sec:\s+(?<tokensPerSecond>\d+), Lr: (?<learningRate>[\d.]+)`,
      fields: ['epoch', 'step', 'loss', 'tokensPerSecond', 'learningRate'],
      example:
        'Epoch   1, Step:      100, Batch Loss:     5.123456, Batch Acc: 0.05, Tokens per Sec:    12345, Lr: 0.000300',
      source: 'joeynmt/training.py L740',
    },
  ],
  help: {
    use_cuda: {
      text: '`False` trains on the CPU: no GPU memory at all.',
      values: ['True', 'False'],
      byDefault: 'True',
    },
    fp16: { text: 'Autocast in fp16.', values: ['True', 'False'], byDefault: 'False' },
    'training.batch_size': {
      text: 'Of all GPUs together, in the unit of `batch_type`: each takes its share.',
    },
    'training.batch_type': {
      text: 'Whether a batch counts sentences or tokens.',
      values: ['sentence', 'token'],
      byDefault: 'sentence',
    },
    'training.batch_multiplier': {
      text: 'Batches whose gradients are added up before a step.',
      byDefault: '1',
    },
    'data.src.max_length': { text: 'Longest source sentence; longer ones are left out of training.' },
    'model.encoder.hidden_size': { text: 'Width of the encoder.' },
    'testing.batch_size': {
      text: 'Of validation and test; with beams, each sentence is there `beam_size` times.',
    },
  },
};
