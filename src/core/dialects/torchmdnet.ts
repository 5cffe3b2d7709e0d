import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { lightningPrecision } from './shared/lightning';
import { always, cuda, effectiveOfMicro, plainTraining, usually, workers } from './shared/toolkit';
import { lightningLogs } from './shared/lightningLogs';

const TRAIN = 'torchmdnet/scripts/train.py';

/** TorchMD-NET's configs; sources are files of torchmd/torchmd-net 833c077. */
export const torchmdnet: Dialect = {
  id: 'torchmd-net',
  title: 'TorchMD-NET',
  role: 'run',
  framework: { name: 'torchmd-net', version: '2.4' },
  loader: 'pyyaml',
  signature: {
    strong: ['ngpus', 'cutoff_upper', 'neg_dy_weight'],
    medium: [
      'inference_batch_size',
      'embedding_dimension',
      'num_rbf',
      'rbf_type',
      'output_model',
      'max_num_neighbors',
    ],
    weak: ['batch_size', 'precision', 'num_layers'],
    against: [],
    needs: ['cutoff_upper', 'num_rbf', 'embedding_dimension'],
    least: 7,
  },
  quantities: {
    ...plainTraining(TRAIN),
    model: { keys: ['model'], read: word },
    task: run =>
      run.flag('derivative')
        ? run.at('derivative', 'force_field')
        : run.byDefault('graph_regression', `${TRAIN}: derivative is False`),
    // torchmdnet/data.py L128: each device has this batch.
    microBatchSize: { keys: ['batch_size'], read: count, unit: 'graphs' },
    evalBatchSize: {
      keys: ['inference_batch_size'],
      read: count,
      unit: 'graphs',
      absent: run =>
        run.derived(run.get('microBatchSize').value, ['microBatchSize'], `${TRAIN} L149: as in training`),
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: usually(1, `${TRAIN}: no accumulation`),
    precision: {
      keys: ['precision'],
      read: lightningPrecision,
      absent: { value: 'fp32', source: `${TRAIN} L56: precision is 32` },
    },
    precisionRaw: {
      keys: ['precision'],
      read: value => (value === null || typeof value === 'object' ? null : { ok: String(value) }),
    },
    optimizer: always('AdamW', 'torchmdnet/module.py: configure_optimizers'),
    accelerator: cuda(`${TRAIN}: accelerator is auto`),
    devices: {
      keys: ['ngpus'],
      read: value => (value === -1 ? { ok: 'auto' } : count(value)),
      absent: { value: 'auto', source: `${TRAIN} L54: ngpus is -1` },
    },
    nodes: { keys: ['num_nodes'], read: count, absent: { value: 1, source: `${TRAIN}: num_nodes is 1` } },
    strategy: always('ddp', `${TRAIN}: DDPStrategy`),
    numWorkers: workers(['num_workers'], 4, `${TRAIN}: num_workers`),
  },
  launch: [{ argv: ['torchmd-train', '--conf', '{config}'], source: 'README.md' }],
  logs: lightningLogs,
  help: {
    batch_size: {
      text: 'Molecules of one GPU; what they take follows from their atoms and the pairs within `cutoff_upper`.',
    },
    inference_batch_size: { text: 'Molecules of a batch of validation and test.', byDefault: 'batch_size' },
    derivative: {
      text: 'Trains on forces: backward runs through a backward, with about two to three times the activations.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    cutoff_upper: { text: 'Distance up to which atoms are neighbours: edges grow with its cube.' },
    max_num_neighbors: { text: 'Most neighbours of an atom: bounds the edges.' },
    embedding_dimension: { text: 'Width of the model.' },
    num_layers: { text: 'Layers of the model.' },
    precision: { text: 'Lightning’s precision.', values: ['16', '32', '64', 'bf16'], byDefault: '32' },
    ngpus: { text: 'GPUs of a node; -1 takes all.', byDefault: '-1' },
    num_workers: { text: 'Processes that load data, on the host only.' },
  },
};
