import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  accumulation,
  cuda,
  deviceList,
  effectiveOfMicro,
  plainTraining,
  usually,
  workers,
} from './shared/toolkit';
import { torchdrugForm } from '../data/forms/trainers';

/** TorchDrug's configs, as GearNet has them; sources are files of DeepGraphLearning/GearNet 28bf75f. */
export const torchdrug: Dialect = {
  id: 'torchdrug',
  title: 'TorchDrug',
  role: 'run',
  framework: { name: 'torchdrug', version: '0.2.1' },
  loader: 'pyyaml',
  signature: {
    strong: ['engine.batch_size', 'engine.gpus', 'task.class', 'dataset.class'],
    medium: ['task.model.*', 'optimizer.class', 'train.num_epoch'],
    weak: ['engine.log_interval', 'scheduler.class'],
    against: [],
    needs: ['engine.*'],
    least: 6,
  },
  quantities: {
    ...plainTraining('torchdrug/core/engine.py'),
    model: { keys: ['task.model.class', 'model.class'], read: word },
    task: { keys: ['task.class'], read: word },
    microBatchSize: { keys: ['engine.batch_size'], read: count, unit: 'graphs' },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('engine.gradient_interval', 'torchdrug/core/engine.py: gradient_interval is 1'),
    precision: usually('fp32', 'torchdrug/core/engine.py: fp32'),
    optimizer: { keys: ['optimizer.class'], read: word },
    accelerator: cuda('torchdrug/core/engine.py: gpus'),
    devices: { keys: ['engine.gpus'], read: deviceList },
    nodes: usually(1, 'script/run.py: GPUs of one machine'),
    numWorkers: workers(['engine.num_worker'], 0, 'torchdrug/core/engine.py: num_worker is 0'),
  },
  launch: [
    {
      argv: [
        'python',
        '-m',
        'torch.distributed.launch',
        '--nproc_per_node={gpus}',
        'script/downstream.py',
        '-c',
        '{config}',
        '--gpus',
        '[0]',
      ],
      source: 'README.md: {{ gpus }} of the config is filled in from --gpus',
    },
  ],
  logs: [torchdrugForm],
  help: {
    'engine.batch_size': { text: 'Graphs of one GPU; what they take follows from their nodes and edges.' },
    'engine.gpus': { text: 'Indices of the GPUs; `null` trains on the CPU.' },
    'engine.gradient_interval': {
      text: 'Batches whose gradients are added up before a step.',
      byDefault: '1',
    },
    'engine.num_worker': { text: 'Processes that load data, on the host only.', byDefault: '0' },
    'task.model.hidden_dims': { text: 'Widths of the layers.' },
  },
};
