import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { accumulation, always, effectiveOfMicro, plainTraining, usually, workers } from './shared/toolkit';
import type { Quantity } from '../spec/quantity';
import type { RunReader } from './engine/runReader';
import { graphgymForm } from '../data/forms/trainers';

const CONFIG = 'graphgym/config.py';

function task(run: RunReader): Quantity<string> {
  const [level, type] = [run.word('dataset.task'), run.word('dataset.task_type')];
  if (level === null || type === null) return run.unknown('dataset.task and dataset.task_type say it.');
  const kind = type.startsWith('classification') ? 'classification' : type;
  return run.derived(`${level}_${kind}`, ['dataset.task', 'dataset.task_type'], 'what is predicted, and how');
}

/** GraphGym and GraphGPS; sources are files of snap-stanford/GraphGym daded21 and rampasek/GraphGPS 2801570. */
export const graphgym: Dialect = {
  id: 'graphgym',
  title: 'GraphGym',
  role: 'run',
  framework: { name: 'graphgym', version: '0.4' },
  loader: 'pyyaml',
  signature: {
    strong: ['gnn.dim_inner', 'gnn.layers_mp', 'gt.layer_type', 'gnn.*'],
    medium: [
      'dataset.format',
      'optim.base_lr',
      'train.ckpt_period',
      'optim.max_epoch',
      'out_dir',
      'metric_best',
      'dataset.task_type',
    ],
    weak: ['train.batch_size', 'train.eval_period'],
    against: [],
    needs: ['gnn.*', 'gt.*'],
    least: 6,
  },
  quantities: {
    ...plainTraining('graphgym/train.py'),
    model: { keys: ['model.type'], read: word },
    task,
    microBatchSize: {
      keys: ['train.batch_size'],
      read: count,
      unit: 'graphs',
      absent: run => run.inUnit('graphs', run.byDefault(16, `${CONFIG} L242: train.batch_size is 16`)),
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation(
      'optim.batch_accumulation',
      'graphgps/config/optimizers_config.py: batch_accumulation is 1',
    ),
    precision: usually('fp32', 'graphgym/train.py: fp32'),
    optimizer: {
      keys: ['optim.optimizer'],
      read: word,
      absent: { value: 'adam', source: `${CONFIG}: optim.optimizer` },
    },
    accelerator: run => {
      const key = ['accelerator', 'device'].find(name => run.has(name));
      if (key === undefined) return run.byDefault('auto', `${CONFIG} L39: device is auto`);
      return run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
    devices: always<number | 'auto'>(
      1,
      'graphgym/utils/device.py: auto picks the one GPU that is used least',
    ),
    nodes: usually(1, 'graphgym/main.py: one process'),
    numWorkers: workers(['num_workers']),
  },
  launch: [
    {
      argv: ['python', 'main.py', '--cfg', '{config}'],
      source: 'README.md; further keys follow as `wandb.use False`',
    },
  ],
  logs: [graphgymForm],
  help: {
    'train.batch_size': {
      text: 'Graphs of a batch; what they take follows from their nodes and edges.',
      byDefault: '16',
    },
    'optim.batch_accumulation': {
      text: 'Batches whose gradients are added up before a step (GraphGPS).',
      byDefault: '1',
    },
    'gt.layer_type': {
      text: 'Message passing and attention side by side: `Transformer` takes the square of a graph’s nodes, `Performer` does not.',
    },
    'gt.layers': { text: 'Layers of the graph transformer.' },
    'gt.dim_hidden': { text: 'Width of the graph transformer; has to be `gnn.dim_inner`.' },
    'gnn.dim_inner': { text: 'Width of message passing.' },
    'gnn.layers_mp': { text: 'Layers of message passing.' },
    'train.sampler': {
      text: 'What a batch counts: `neighbor` takes nodes with their neighbours, `full_batch` the whole graph.',
    },
    'train.neighbor_sizes': { text: 'Neighbours that are taken for each node, layer by layer.' },
  },
};
