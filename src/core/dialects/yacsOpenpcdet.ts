import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, madeFor, noAccumulation, onCuda, rawRow, wholeModel } from './shared/vision';
import { openpcdetForm } from '../data/forms/trainers';

/** OpenPCDet; sources are files of open-mmlab/OpenPCDet 8cacccc. */
export const yacsOpenpcdet: Dialect = {
  id: 'yacs-openpcdet',
  title: 'OpenPCDet',
  role: 'run',
  framework: { name: 'openpcdet', version: '0.6.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['OPTIMIZATION.BATCH_SIZE_PER_GPU', 'DATA_CONFIG.*', 'CLASS_NAMES'],
    medium: ['MODEL.VFE.*', 'MODEL.DENSE_HEAD.*', 'MODEL.BACKBONE_2D.*', 'OPTIMIZATION.OPTIMIZER'],
    weak: ['OPTIMIZATION.LR'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('tools/train.py'),
    model: { keys: ['MODEL.NAME'], read: word },
    task: madeFor('3d_detection', 'tools/train.py'),
    microBatchSize: { keys: ['OPTIMIZATION.BATCH_SIZE_PER_GPU'], read: count },
    gradAccum: noAccumulation('tools/train_utils/train_utils.py'),
    precision: ampRow('OPTIMIZATION.USE_AMP', false, 'tools/train.py: --use_amp'),
    precisionRaw: rawRow('OPTIMIZATION.USE_AMP'),
    optimizer: { keys: ['OPTIMIZATION.OPTIMIZER'], read: word },
    accelerator: onCuda('tools/train.py'),
    numWorkers: run => run.byDefault(4, 'tools/train.py: --workers'),
  },
  details: { autocast: autocastByPrecision },
  compose: withBases({ keys: ['DATA_CONFIG._BASE_CONFIG_'] }),
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node={gpus}',
        'tools/train.py',
        '--launcher',
        'pytorch',
        '--cfg_file',
        '{config}',
      ],
      source: 'OpenPCDet docs/GETTING_STARTED.md; --batch_size on the command line counts all GPUs together',
    },
  ],
  logs: [openpcdetForm],
  help: {
    'OPTIMIZATION.BATCH_SIZE_PER_GPU': {
      text: 'Scenes of one forward pass on each GPU. `--batch_size` of the command line counts all GPUs together.',
    },
    'OPTIMIZATION.USE_AMP': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'DATA_CONFIG.POINT_CLOUD_RANGE': { text: 'Space that is looked at: with the voxels’ size, the grid’s.' },
  },
};
