import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { items, noAccumulation, pixels, wholeModel } from './shared/vision';

/** pytorch-3dunet; sources are lines of wolny/pytorch-3dunet a33e2c7. */
export const pytorch3dunet: Dialect = {
  id: 'pytorch3dunet',
  title: 'pytorch-3dunet',
  role: 'run',
  framework: { name: 'pytorch3dunet', version: 'a33e2c7' },
  loader: 'pyyaml',
  signature: {
    strong: ['loaders.train.slice_builder.*', 'loaders.test.slice_builder.*', 'loaders.raw_internal_path'],
    medium: [
      'model.f_maps',
      'model.layer_order',
      'trainer.checkpoint_dir',
      'trainer.max_num_epochs',
      'eval_metric.name',
      'predictor.*',
      'model_path',
    ],
    weak: ['loaders.num_workers'],
    against: [],
    least: 5,
  },
  quantities: {
    ...wholeModel('pytorch3dunet/unet3d/trainer.py'),
    model: { keys: ['model.name'], read: word },
    task: run => {
      if (!run.has('trainer')) return run.byCode('infer', 'predict3dunet: no trainer');
      const planes = items(run.value('loaders.train.slice_builder.patch_shape'))?.[0] === 1;
      return run.byCode(planes ? 'segmentation' : '3d_segmentation', 'pytorch3dunet/train.py');
    },
    microBatchSize: {
      keys: ['loaders.batch_size'],
      read: count,
      absent: { value: 1, source: 'pytorch3dunet/datasets/utils.py L396' },
    },
    gradAccum: noAccumulation('pytorch3dunet/unet3d/trainer.py'),
    imageSize: { keys: ['loaders.train.slice_builder.patch_shape'], read: pixels('hw') },
    precision: run => run.byDefault('fp32', 'pytorch3dunet/unet3d/trainer.py: no autocast'),
    optimizer: {
      keys: ['optimizer.name'],
      read: word,
      absent: { value: 'Adam', source: 'pytorch3dunet/unet3d/utils.py: create_optimizer' },
    },
    accelerator: {
      keys: ['device'],
      read: word,
      absent: { value: 'cuda', source: 'pytorch3dunet/unet3d/config.py' },
    },
    numWorkers: { keys: ['loaders.num_workers'], read: countOrNone },
  },
  launch: [
    {
      argv: ['train3dunet', '--config', '{config}'],
      source: 'pytorch-3dunet README.md; CUDA_VISIBLE_DEVICES chooses the GPUs',
    },
  ],
  logs: [
    {
      pattern: String.raw`Training iteration \[(?<step>\d+)/(?<steps>\d+)\]\. Batch \[\d+\]\. Epoch \[(?<epoch>\d+)/(?<epochs>\d+)\]`,
      fields: ['step', 'steps', 'epoch', 'epochs'],
      example: 'Training iteration [100/150000]. Batch [0]. Epoch [0/9]',
      source: 'pytorch3dunet/unet3d/trainer.py',
    },
  ],
  help: {
    'loaders.batch_size': {
      text: 'Patches of each visible GPU: DataParallel gets this times their number.',
      byDefault: '1',
    },
    'loaders.train.slice_builder.patch_shape': {
      text: 'Depth, height and width of a patch: activations grow with their product.',
    },
    'model.f_maps': { text: 'Channels of the first level, doubled on each further one.' },
    'model.num_levels': { text: 'Levels of the network.' },
    device: { text: 'Where it trains.', values: ['cuda', 'cpu'] },
  },
};
