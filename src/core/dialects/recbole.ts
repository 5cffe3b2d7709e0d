import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import { count, word } from './engine/readers';
import {
  always,
  ampFlag,
  deviceList,
  effectiveOfShared,
  plainTraining,
  rawFlag,
  shareOfBatch,
  usually,
  workers,
} from './shared/toolkit';

const OVERALL = 'recbole/properties/overall.yaml';

/** Batches of evaluation are divided among processes, as those of training are. */
function evalBatch(run: RunReader): Quantity<number> {
  const rows = run.count('eval_batch_size');
  const total = rows === null ? run.byDefault(4096, OVERALL) : run.at('eval_batch_size', rows);
  return shareOfGlobal(run, total);
}

/** RecBole's configs; sources are files of RUCAIBox/RecBole 7b02be5. */
export const recbole: Dialect = {
  id: 'recbole',
  title: 'RecBole',
  role: 'run',
  framework: { name: 'recbole', version: '1.2.1' },
  loader: 'pyyaml',
  signature: {
    strong: ['train_neg_sample_args', 'topk', 'eval_args.*'],
    medium: [
      'train_batch_size',
      'eval_batch_size',
      'gpu_id',
      'stopping_step',
      'valid_metric',
      'data_path',
      'hidden_dropout_prob',
      'USER_ID_FIELD',
      'load_col.*',
      'training_neg_sample_num',
      'eval_setting',
    ],
    weak: [
      'use_gpu',
      'learner',
      'worker',
      'hidden_size',
      'loss_type',
      'embedding_size',
      'mask_ratio',
      'n_layers',
    ],
    against: ['base_model', 'model_name_or_path', 'trainer.*', 'input_features[]'],
    needs: [
      'train_batch_size',
      'eval_batch_size',
      'train_neg_sample_args',
      'training_neg_sample_num',
      'eval_args.*',
      'eval_setting',
      'load_col.*',
    ],
    least: 6,
  },
  quantities: {
    ...plainTraining('recbole/trainer/trainer.py'),
    model: { keys: ['model'], read: word },
    task: always('recommendation', 'recbole trains recommenders'),
    // recbole/data/dataloader/abstract_dataloader.py L63: batches are divided by the number of processes.
    globalBatchSize: { keys: ['train_batch_size'], read: count, absent: { value: 2048, source: OVERALL } },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evalBatch,
    gradAccum: usually(1, 'recbole/trainer/trainer.py steps after each batch'),
    seqLen: { keys: ['MAX_ITEM_LIST_LENGTH'], read: count },
    precision: ampFlag('enable_amp', `${OVERALL}: enable_amp is False`),
    precisionRaw: rawFlag('enable_amp'),
    optimizer: { keys: ['learner'], read: word, absent: { value: 'adam', source: `${OVERALL}: learner` } },
    accelerator: run => {
      const on = run.flag('use_gpu');
      return on === null
        ? run.byDefault('cuda', `${OVERALL}: use_gpu is True`)
        : run.at('use_gpu', on ? 'cuda' : 'cpu');
    },
    devices: run => {
      if (run.get('accelerator').value === 'cpu') return run.at<number | 'auto'>('use_gpu', 0);
      const ids = run.read('gpu_id', deviceList);
      if (ids === null) return run.byDefault<number | 'auto'>(1, `${OVERALL}: gpu_id is '0'`);
      return run.derived<number | 'auto'>(ids, ['gpu_id'], 'indices in gpu_id');
    },
    nodes: usually(1, 'recbole/quick_start/quick_start.py: --nnodes is 1'),
    numWorkers: workers(['worker'], 0, `${OVERALL}: worker is 0`),
  },
  writers: {
    microBatchSize: (to, run) => {
      const gpus = run.get('gpus').value;
      return gpus === null
        ? { ok: false, why: 'train_batch_size counts what all GPUs share, and their number is not known.' }
        : { ok: true, writes: [{ key: 'train_batch_size', value: to * Math.max(gpus, 1) }] };
    },
  },
  launch: [
    {
      argv: [
        'python',
        'run_recbole.py',
        '--model=MODEL',
        '--dataset=DATA',
        '--config_files={config}',
        '--nproc={gpus}',
      ],
      source: 'run_recbole.py',
    },
  ],
  logs: [
    {
      pattern: String.raw`Train\s+(?<epoch>\d+):\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[[^,]*,\s+(?<stepsPerSecond>[\d.]+)it/s, GPU RAM: (?<reservedGiB>[\d.]+) G/`,
      bar: true,
      fields: ['epoch', 'percent', 'step', 'steps', 'stepsPerSecond', 'reservedGiB'],
      example: 'Train     0: 100%|███| 45/45 [00:05<00:00,  8.5it/s, GPU RAM: 0.12 G/23.69 G]',
      source: 'recbole/utils/utils.py, get_gpu_usage: max_memory_reserved ÷ 1024³',
    },
  ],
  help: {
    train_batch_size: {
      text: 'Interactions of all GPUs together. Activations are small beside the tables of embeddings.',
      byDefault: '2048',
    },
    eval_batch_size: {
      text: 'Of all GPUs together. With full ranking, each user is scored against all items: this is what runs out of memory.',
      byDefault: '4096',
    },
    eval_args: { text: '`mode: full` scores all items for every user; `uni100` samples a hundred.' },
    embedding_size: {
      text: 'Width of the tables of users and items, which have most of the weights, with two states each.',
      byDefault: '64',
    },
    hidden_size: { text: 'Width of sequential models.' },
    MAX_ITEM_LIST_LENGTH: { text: 'Items of a history: attention grows with its square.', byDefault: '50' },
    gpu_id: { text: 'Indices of GPUs, as text.', byDefault: '0' },
    use_gpu: { text: '`False` trains on the CPU.', values: ['True', 'False'], byDefault: 'True' },
    enable_amp: { text: 'Autocast in fp16.', values: ['True', 'False'], byDefault: 'False' },
    worker: { text: 'Processes that load data, on the host only.', byDefault: '0' },
  },
};
