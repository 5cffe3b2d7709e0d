import type { Dialect } from './dialect';
import { always, cuda, plainTraining, unsaid, usually } from './shared/toolkit';
import { allOf } from './shared/profiles';
import { fuxictrForms } from '../output/forms/trainers';

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
};
