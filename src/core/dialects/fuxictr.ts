import type { Dialect } from './dialect';
import { always, cuda, plainTraining, unsaid, usually } from './shared/toolkit';
import { allOf } from './shared/profiles';
import { fuxictrForms } from '../data/forms/trainers';

const RUN = 'model_zoo/*/run_expid.py';
const PROFILE = 'Each experiment has its own, and --expid of the command line picks one.';

/** FuxiCTR's model configs: one experiment for each key, laid over `Base`; sources are files of reczoo/FuxiCTR 0245987. */
export const fuxictr: Dialect = {
  id: 'fuxictr',
  title: 'FuxiCTR',
  role: 'run',
  framework: { name: 'fuxictr', version: '2.3.8' },
  loader: 'pyyaml',
  signature: {
    strong: ['*.dataset_id', 'Base.model_root', 'base_config.model_root'],
    medium: [
      '*.embedding_dim',
      '*.net_dropout',
      '*.monitor_mode',
      'Base.pickle_feature_encoder',
      '*.embedding_regularizer',
    ],
    weak: ['*.batch_size', '*.model'],
    against: [],
    needs: ['*.dataset_id'],
    least: 6,
  },
  quantities: {
    ...plainTraining('fuxictr/pytorch/models/rank_model.py'),
    model: allOf('model', PROFILE),
    task: always('ctr', 'fuxictr predicts click-through rates'),
    microBatchSize: unsaid(PROFILE),
    gradAccum: usually(1, 'fuxictr/pytorch/models/rank_model.py steps after each batch'),
    precision: usually('fp32', 'fuxictr/pytorch/models/rank_model.py: fp32'),
    optimizer: unsaid(PROFILE),
    accelerator: cuda(`${RUN}: --gpu`),
    devices: unsaid('--gpu of the command line: -1, which is the default, is the CPU.'),
    nodes: unsaid('--gpu of the command line: one process.'),
    numWorkers: unsaid(PROFILE),
  },
  launch: [{ argv: ['python', 'run_expid.py', '--expid', 'EXPERIMENT', '--gpu', '0'], source: `${RUN} L43` }],
  logs: fuxictrForms,
  help: {
    '*.batch_size': {
      text: 'Rows of a batch. Those who click are few numbers a row: the embedding tables decide, not the batch.',
    },
    '*.embedding_dim': {
      text: 'Width of each feature’s embedding. Tables, their gradients and optimizer states grow with it in proportion.',
    },
    '*.dataset_id': {
      text: 'The dataset of the experiment; how many values its features have decides the size of the tables.',
    },
    '*.optimizer': {
      text: 'Its states are as large as the tables, once or twice.',
      values: ['adam', 'sgd', 'adagrad', 'rmsprop'],
    },
    '*.embedding_regularizer': { text: 'L1 or L2 on the tables: each step then touches every row of them.' },
    '*.dnn_hidden_units': { text: 'Widths of the layers behind the tables; small beside them.' },
    '*.num_workers': { text: 'Processes that load data, on the host only.', byDefault: '3' },
  },
};
