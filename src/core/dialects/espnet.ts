import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { count, word } from './engine/readers';
import {
  accumulation,
  counted,
  cuda,
  effectiveOfShared,
  encoderDecoder,
  plainTraining,
  rawFlag,
  shareOfBatch,
  unsaid,
  workers,
} from './shared/toolkit';

const OPTIONS = 'espnet2 doc/espnet2_training_option.md';
/** Batches that are filled up to a number of elements. */
const BY_BINS: ReadonlySet<string> = new Set(['numel', 'length']);

/** ESPnet2 makes one batch for all GPUs and gives each every n-th row: `batch[rank::world_size]`. */
function batch(run: RunReader): Quantity<number> {
  const type = run.word('batch_type') ?? 'folded';
  if (!BY_BINS.has(type)) {
    const rows = run.count('batch_size');
    return rows === null ? run.byDefault(20, `${OPTIONS}: batch_size is 20`) : run.at('batch_size', rows);
  }
  const unit = 'bins (numel)';
  return (
    counted(run, 'batch_bins', unit) ?? run.inUnit(unit, run.byDefault(1_000_000, `${OPTIONS}: batch_bins`))
  );
}

function evaluated(run: RunReader): Quantity<number> {
  const key = ['valid_batch_bins', 'valid_batch_size'].find(name => run.has(name));
  return key === undefined
    ? run.unknown('Validation takes the batches of training.')
    : run.at(key, run.count(key));
}

function precision(run: RunReader): Quantity<string> {
  const amp = run.flag('use_amp');
  if (amp) return run.at('use_amp', 'fp16-mixed');
  const name = run.word('train_dtype');
  const dtype = { float16: 'fp16', bfloat16: 'bf16', float32: 'fp32' }[name ?? ''];
  if (dtype !== undefined) return run.at('train_dtype', dtype);
  return amp === null
    ? run.byDefault('fp32', `${OPTIONS}: train_dtype is float32`)
    : run.at('use_amp', 'fp32');
}

const TASKS: Readonly<Record<string, string>> = {
  asr: 'asr',
  tts: 'tts',
  enh: 'speech_enhancement',
  lm: 'language_modeling',
  st: 'speech_translation',
  diar: 'diarization',
  spk: 'speaker_verification',
};

/** Recipes lie in `egs2/CORPUS/TASK1`; else a CTC weight is one of recognition. */
function task(run: RunReader): Quantity<string> {
  const folder = run.pathWords.map(name => /^([a-z]+)\d$/.exec(name)?.[1] ?? '').find(name => name in TASKS);
  const found = folder === undefined ? undefined : TASKS[folder];
  if (found !== undefined) return run.derived(found, [], `the recipe lies in ${folder ?? ''}1`);
  return run.has('model_conf.ctc_weight')
    ? run.derived('asr', ['model_conf.ctc_weight'], 'a CTC loss beside attention')
    : run.unknown('The recipe’s folder says it.');
}

/** ESPnet2's training configs; sources are files of espnet/espnet 26b6999. */
export const espnet: Dialect = {
  id: 'espnet',
  title: 'ESPnet',
  role: 'run',
  framework: { name: 'espnet', version: '202402' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'batch_bins',
      'batch_type~^(numel|folded|sorted|unsorted|length|catbel|catpow)$',
      'frontend_conf.*',
      'best_model_criterion[]',
      'best_model_criterion',
    ],
    medium: [
      'encoder_conf.*',
      'decoder_conf.*',
      'optim_conf.*',
      'accum_grad',
      'use_amp',
      'keep_nbest_models',
      'specaug_conf.*',
    ],
    weak: ['max_epoch', 'num_workers', 'model_conf.*', 'scheduler_conf.*', 'optim'],
    against: ['dataset_conf.*', 'train_conf.*'],
    needs: ['batch_bins', 'batch_type', 'optim', 'max_epoch', 'batch_size'],
    least: 7,
  },
  quantities: {
    ...plainTraining('espnet2/train/trainer.py'),
    model: encoderDecoder,
    task,
    globalBatchSize: batch,
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evaluated,
    gradAccum: accumulation('accum_grad', `${OPTIONS}: accum_grad is 1`),
    precision,
    precisionRaw: run =>
      run.has('use_amp')
        ? run.at('use_amp', `use_amp ${String(run.flag('use_amp'))}`)
        : rawFlag('train_dtype')(run),
    optimizer: { keys: ['optim'], read: word, absent: { value: 'adadelta', source: `${OPTIONS}: optim` } },
    gradientCheckpointing: unsaid('ESPnet has no key for it.'),
    accelerator: cuda(`${OPTIONS}: --ngpu`),
    devices: {
      keys: ['ngpu'],
      read: count,
      absent: run => run.unknown('--ngpu of the command line says how many GPUs there are.'),
    },
    numWorkers: workers(['num_workers'], 1, OPTIONS),
  },
  details: { paddedRows: run => run.byCode(true, 'espnet2/train/collate_fn.py pads') },
  writers: {
    precision: to =>
      /^(?:fp32|fp16)(?:-mixed)?$/.test(to)
        ? { ok: true, writes: [{ key: 'use_amp', value: to.startsWith('fp16'), near: ['accum_grad'] }] }
        : { ok: false, why: 'use_amp computes in fp16; another dtype is train_dtype, for weights too.' },
    microBatchSize: () => ({ ok: false, why: 'batch_bins and batch_size count what all GPUs share.' }),
  },
  launch: [
    {
      argv: ['python', '-m', 'espnet2.bin.asr_train', '--config', '{config}', '--ngpu', '{gpus}'],
      tasks: ['asr'],
      source: 'espnet2/bin/asr_train.py; recipes call it through run.sh --asr_config',
    },
  ],
  logs: [
    {
      pattern: String.raw`(?<epoch>\d+)epoch:train:\d+-(?<step>\d+)batch:.*? loss=(?<loss>[\d.e+-]+)`,
      fields: ['epoch', 'step', 'loss'],
      example:
        '[host] 2024-05-01 12:00:00,123 (trainer:762) INFO: 1epoch:train:1-100batch: iter_time=0.1, forward_time=0.2, loss_ctc=120.3, loss=98.1, backward_time=0.3',
      source: 'espnet2/train/trainer.py L762',
    },
    {
      pattern: String.raw`(?<epoch>\d+)epoch results:.*?gpu_max_cached_mem_GB=(?<reservedGiB>[\d.]+)`,
      fields: ['epoch', 'reservedGiB'],
      example: '1epoch results: [train] iter_time=0.1, loss=98.1, gpu_max_cached_mem_GB=27.3',
      source: 'espnet2/train/trainer.py: gpu_max_cached_mem_GB is bytes ÷ 1024³',
    },
  ],
  help: {
    batch_type: {
      text: 'How batches are filled: by elements (`numel`, `length`), which keeps memory even, or by a number of rows.',
      values: ['numel', 'length', 'folded', 'sorted', 'unsorted', 'catbel', 'catpow'],
      byDefault: 'folded',
    },
    batch_bins: {
      text: 'Elements of a batch (frames × features) of all GPUs together: each takes its share, so more GPUs means less memory on each.',
      byDefault: '1000000',
    },
    batch_size: { text: 'Rows of all GPUs together, where `batch_type` counts rows.', byDefault: '20' },
    accum_grad: {
      text: 'Batches whose gradients are added up before a step. Takes no more activations.',
      byDefault: '1',
    },
    use_amp: {
      text: 'Autocast in fp16: activations of products in 16 bits, weights and states in fp32.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    train_dtype: {
      text: 'Dtype of the weights, with gradients and states.',
      values: ['float32', 'float16', 'bfloat16', 'float64'],
      byDefault: 'float32',
    },
    fold_length: { text: 'Lengths at which `folded` makes the batch smaller: longer rows, fewer of them.' },
    freeze_param: { text: 'Parts that are not trained: neither gradients nor states for them.' },
    num_workers: { text: 'Processes that load data, on the host only.', byDefault: '1' },
  },
};
