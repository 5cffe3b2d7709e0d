import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { always, effectiveOfMicro, plainTraining, usually, workers } from './shared/toolkit';
import { ddspForm } from '../data/forms/trainers';

const DTYPES: Readonly<Record<string, string>> = { fp32: 'fp32', fp16: 'fp16-mixed', bf16: 'bf16-mixed' };

/** DDSP-SVC's configs; sources are files of yxlllc/DDSP-SVC 88f157c. */
export const ddspSvc: Dialect = {
  id: 'ddsp-svc',
  title: 'DDSP-SVC',
  role: 'run',
  framework: { name: 'ddsp-svc', version: '6.3' },
  loader: 'pyyaml',
  signature: {
    strong: ['train.cache_device', 'train.cache_all_data', 'data.f0_extractor'],
    medium: [
      'env.gpu_id',
      'train.amp_dtype',
      'data.encoder_out_channels',
      'vocoder.type',
      'data.cnhubertsoft_gate',
    ],
    weak: ['train.batch_size', 'device', 'data.duration'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['train.batch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining('train_reflow.py'),
    model: { keys: ['model.type'], read: word },
    task: always('voice_conversion', 'train_reflow.py'),
    microBatchSize: { keys: ['train.batch_size'], read: count },
    effectiveBatch: effectiveOfMicro,
    gradAccum: usually(1, 'reflow/solver.py steps after each batch'),
    precision: run => {
      const name = run.word('train.amp_dtype');
      if (name === null) return run.byDefault('fp32', 'reflow/solver.py: amp_dtype is fp32');
      const meaning = DTYPES[name];
      return meaning === undefined
        ? run.unknown(`train.amp_dtype: ${name} is none of fp32, fp16, bf16.`)
        : run.at('train.amp_dtype', meaning);
    },
    precisionRaw: { keys: ['train.amp_dtype'], read: word },
    optimizer: always('AdamW', 'train_reflow.py: torch.optim.AdamW'),
    accelerator: { keys: ['device'], read: word, absent: { value: 'cuda', source: 'train_reflow.py' } },
    // env.gpu_id is the index of the one GPU that trains.
    devices: always<number | 'auto'>(1, 'train_reflow.py: torch.cuda.set_device(env.gpu_id)'),
    nodes: always(1, 'train_reflow.py'),
    numWorkers: workers(['train.num_workers']),
  },
  launch: [{ argv: ['python', 'train_reflow.py', '-c', '{config}'], source: 'README.md' }],
  logs: [ddspForm],
  help: {
    'train.batch_size': { text: 'Crops of `data.duration` seconds: activations grow with it in proportion.' },
    'train.cache_device': {
      text: '`cuda` keeps the whole data set on the GPU, beside everything else.',
      values: ['cpu', 'cuda'],
    },
    'train.cache_all_data': {
      text: 'Keeps the data set in memory; where, `cache_device` says.',
      values: ['true', 'false'],
    },
    'train.cache_fp16': { text: 'Halves what the cache takes.', values: ['true', 'false'] },
    'train.amp_dtype': { text: 'Dtype of autocast.', values: ['fp32', 'fp16', 'bf16'] },
    'data.duration': { text: 'Seconds of a crop; every sample has to be longer.' },
    'env.gpu_id': { text: 'Index of the GPU that trains, not a number of GPUs.' },
  },
};
