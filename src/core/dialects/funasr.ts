import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  accumulation,
  counted,
  cuda,
  effectiveOfMicro,
  plainTraining,
  unsaid,
  workers,
} from './shared/toolkit';

/** FunASR's training configs; sources are files of modelscope/FunASR 3c58cb5. */
export const funasr: Dialect = {
  id: 'funasr',
  title: 'FunASR',
  role: 'run',
  framework: { name: 'funasr', version: '1.2.7' },
  loader: 'omegaconf',
  signature: {
    strong: ['dataset_conf.index_ds', 'dataset_conf.batch_sampler', 'train_conf.accum_grad'],
    medium: [
      'dataset_conf.*',
      'dataset_conf.batch_type',
      'encoder_conf.*',
      'decoder_conf.*',
      'optim_conf.*',
      'train_conf.*',
      'tokenizer_conf.*',
    ],
    weak: ['model_conf.*', 'frontend_conf.*', 'specaug_conf.*'],
    against: ['batch_bins', 'dataset_conf.batch_conf.*'],
    // Model cards carry the same file without what trains: those are for inference.
    needs: ['dataset_conf.batch_size', 'dataset_conf.index_ds', 'dataset_conf.batch_sampler'],
    least: 7,
  },
  quantities: {
    ...plainTraining('funasr/train_utils/trainer_ds.py'),
    model: { keys: ['model'], read: word },
    task: run =>
      run.byCode(/kws/i.test(run.word('model') ?? '') ? 'keyword_spotting' : 'asr', 'funasr/bin/train_ds.py'),
    microBatchSize: run => {
      const key = 'dataset_conf.batch_size';
      const type = run.word('dataset_conf.batch_type') ?? 'example';
      if (type === 'example') return run.at(key, run.count(key));
      return counted(run, key, type === 'token' ? 'tokens' : 'frames') ?? run.unknown(`${key} is not set.`);
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('train_conf.accum_grad', 'funasr/train_utils/trainer_ds.py: accum_grad is 1'),
    seqLen: { keys: ['dataset_conf.max_token_length'], read: count },
    precision: run => {
      if (run.flag('train_conf.use_bf16')) return run.at('train_conf.use_bf16', 'bf16-mixed');
      if (run.flag('train_conf.use_fp16')) return run.at('train_conf.use_fp16', 'fp16-mixed');
      return run.byDefault('fp32', 'funasr/train_utils/trainer_ds.py: use_fp16, use_bf16');
    },
    optimizer: { keys: ['optim'], read: word, absent: { value: 'adam', source: 'funasr/bin/train_ds.py' } },
    accelerator: cuda('funasr/bin/train_ds.py: device is cuda'),
    devices: unsaid('torchrun says how many processes there are.'),
    numWorkers: workers(['dataset_conf.num_workers'], 8, 'funasr/datasets/audio_datasets/samplers.py'),
  },
  details: {
    paddedRows: run => run.byCode(true, 'funasr/datasets/audio_datasets/datasets.py: collator pads'),
  },
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node={gpus}', 'funasr/bin/train_ds.py', '--config-name', '{config}'],
      source: 'examples/aishell/paraformer/run.sh; keys are overridden as ++dataset_conf.batch_size=…',
    },
  ],
  logs: [
    {
      pattern: String.raw`rank: \d+, epoch: (?<epoch>\d+)/(?<epochs>\d+),.*?step_in_slice: (?<step>\d+)/(?<steps>\d+).*?GPU, memory: usage: (?<allocatedGiB>[\d.]+) GB, peak: [\d.]+ GB, cache: (?<reservedGiB>[\d.]+) GB`,
      fields: ['epoch', 'epochs', 'step', 'steps', 'allocatedGiB', 'reservedGiB'],
      example:
        "train, rank: 0, epoch: 0/50, data_slice: 0/1, step_in_slice: 50/1000, total step: 50, (loss_avg_rank: 3.1), [('loss', 3.1)], {'data_load': '0.1'}, GPU, memory: usage: 4.321 GB, peak: 15.432 GB, cache: 16.123 GB, cache_peak: 16.123 GB",
      source: 'funasr/train_utils/trainer_ds.py: log; GB is 1024³ bytes',
    },
  ],
  help: {
    'dataset_conf.batch_type': {
      text: '`example` counts recordings; `length` and `token` fill the batch up to a sum of frames or tokens.',
      values: ['example', 'length', 'token'],
    },
    'dataset_conf.batch_size': {
      text: 'On each GPU, in the unit of `batch_type`: recordings, frames or tokens. Not shared among GPUs, whatever `EspnetStyleBatchSampler` makes one think.',
    },
    'dataset_conf.max_token_length': {
      text: 'Leaves out samples whose source and target are longer together.',
    },
    'train_conf.accum_grad': { text: 'Batches whose gradients are added up before a step.', byDefault: '1' },
    'train_conf.use_fp16': { text: 'Autocast in fp16.', values: ['true', 'false'], byDefault: 'false' },
    'train_conf.use_bf16': { text: 'Autocast in bf16.', values: ['true', 'false'], byDefault: 'false' },
    'dataset_conf.num_workers': { text: 'Processes that load data, on the host only.' },
  },
};
