import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { madeFor, noAccumulation, pixels, wholeModel } from './shared/vision';

/** BasicSR and what grew from it (Real-ESRGAN, SwinIR, HAT); sources are files of XPixelGroup/BasicSR 8d56e3a. */
export const basicsr: Dialect = {
  id: 'basicsr',
  title: 'BasicSR',
  role: 'run',
  framework: { name: 'basicsr', version: '1.4.2' },
  loader: 'pyyaml',
  signature: {
    strong: ['datasets.train.batch_size_per_gpu', 'network_g.type', 'model_type'],
    medium: [
      'num_gpu',
      'datasets.train.num_worker_per_gpu',
      'train.optim_g.*',
      'datasets.train.gt_size',
      'path.pretrain_network_g',
    ],
    weak: ['manual_seed', 'scale'],
    against: [],
    least: 7,
  },
  quantities: {
    ...wholeModel('basicsr/train.py'),
    model: { keys: ['network_g.type'], read: word },
    task: madeFor('super_resolution', 'basicsr/train.py'),
    microBatchSize: { keys: ['datasets.train.batch_size_per_gpu'], read: count },
    gradAccum: noAccumulation('basicsr/models: every batch is a step'),
    imageSize: { keys: ['datasets.train.gt_size', 'gt_size'], read: pixels('hw') },
    precision: run => run.byDefault('fp32', 'basicsr/models: no autocast'),
    optimizer: { keys: ['train.optim_g.type'], read: word },
    devices: { keys: ['num_gpu'], read: value => (value === 'auto' ? { ok: 'auto' } : countOrNone(value)) },
    accelerator: run =>
      run.value('num_gpu') === 0
        ? run.at('num_gpu', 'cpu')
        : run.byDefault('cuda', 'basicsr/models/base_model.py'),
    numWorkers: { keys: ['datasets.train.num_worker_per_gpu'], read: countOrNone },
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node={gpus}',
        'basicsr/train.py',
        '-opt',
        '{config}',
        '--launcher',
        'pytorch',
      ],
      source: 'BasicSR docs/TrainTest.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`\[epoch:\s*(?<epoch>\d+), iter:\s*(?<step>[\d,]+), lr:\((?<learningRate>[\d.e-]+),\)\] \[eta: .*?time \(data\): (?<secondsPerStep>[\d.]+)`,
      fields: ['epoch', 'step', 'learningRate', 'secondsPerStep'],
      example:
        '[train..][epoch:  0, iter:     100, lr:(2.000e-04,)] [eta: 1 day, 2:03:04, time (data): 0.532 (0.010)] l_pix: 2.1e-02',
      source: 'basicsr/utils/logger.py, MessageLogger',
    },
  ],
  help: {
    'datasets.train.batch_size_per_gpu': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    num_gpu: { text: 'GPUs; 0 trains on the host.', byDefault: 'auto' },
    'datasets.train.gt_size': {
      text: 'Side of the training crops after scaling: what the network is given is this divided by `scale`.',
    },
    gt_size: { text: 'Side of the training crops after scaling.' },
    scale: { text: 'How many times larger the output is than the input.' },
    'train.ema_decay': { text: 'Above 0, a second copy of the generator on the GPU.' },
    network_d: { text: 'A discriminator: weights, gradients and states of a second network.' },
    'train.perceptual_opt': {
      text: 'A loss on features of a frozen VGG, whose activations are kept for backward.',
    },
  },
};
