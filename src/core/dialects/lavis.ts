import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, pixels, rawRow, wholeModel } from './shared/vision';
import type { Size } from './shared/vision';
import { metricLogger } from './shared/metricLogger';

const SOURCE = 'lavis/runners/runner_base.py';

/** The image size of the first training processor. */
function imageSize(run: RunReader): Quantity<Size> {
  const own = run.read('model.image_size', pixels('hw'));
  if (own !== null) return run.at('model.image_size', own);
  const sets = run.value('datasets');
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets)) {
    return run.unknown('No dataset is named.');
  }
  const keys = Object.keys(sets).map(name => `datasets.${name}.vis_processor.train.image_size`);
  const key = keys.find(one => run.has(one));
  const size = key === undefined ? null : run.read(key, pixels('hw'));
  return key === undefined || size === null ? run.unknown('No processor says the size.') : run.at(key, size);
}

const evaluates = (run: RunReader): boolean => run.flag('run.evaluate') === true;

/** LAVIS; sources are lines of salesforce/LAVIS 506965b. */
export const lavis: Dialect = {
  id: 'lavis',
  title: 'LAVIS',
  role: 'run',
  framework: { name: 'salesforce-lavis', version: '1.0.2' },
  loader: 'omegaconf',
  signature: {
    strong: ['run.batch_size_train', 'run.task'],
    medium: ['model.arch', 'run.amp', 'run.max_epoch', 'run.world_size', 'datasets.*', 'run.init_lr'],
    weak: ['run.device'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel(SOURCE),
    model: { keys: ['model.arch'], read: word },
    task: run => {
      if (evaluates(run)) return run.at('run.evaluate', 'infer');
      const task = run.word('run.task');
      return task === null ? run.unknown('run.task is not set.') : run.at('run.task', task);
    },
    microBatchSize: { keys: ['run.batch_size_train'], read: count },
    evalBatchSize: { keys: ['run.batch_size_eval'], read: count },
    gradAccum: {
      keys: ['run.accum_grad_iters'],
      read: count,
      absent: { value: 1, source: `${SOURCE} L300` },
      near: ['run.batch_size_train'],
    },
    imageSize,
    precision: ampRow('run.amp', false, `${SOURCE}: amp`),
    precisionRaw: rawRow('run.amp'),
    optimizer: run => run.byCode('AdamW', `${SOURCE}: torch.optim.AdamW`),
    gradientCheckpointing: { keys: ['model.use_grad_checkpoint'], read: flag },
    accelerator: { keys: ['run.device'], read: word, absent: { value: 'cuda', source: SOURCE } },
    numWorkers: { keys: ['run.num_workers'], read: countOrNone },
    // run.world_size is a placeholder that the launcher overwrites (lavis/common/dist_utils.py).
  },
  details: { autocast: autocastByPrecision },
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node={gpus}', 'train.py', '--cfg-path', '{config}'],
      source: 'LAVIS README.md; keys follow as --options run.batch_size_train=16',
    },
  ],
  logs: [metricLogger('lavis/common/logger.py, MetricLogger')],
  help: {
    'run.batch_size_train': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    'run.batch_size_eval': { text: 'Images of one pass of evaluation on each GPU.' },
    'run.accum_grad_iters': { text: 'Batches added up before a step.', byDefault: '1' },
    'run.amp': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'model.freeze_vit': {
      text: 'Leaves the image encoder without gradients and states.',
      values: ['True', 'False'],
    },
    'model.use_grad_checkpoint': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['True', 'False'],
    },
    'model.image_size': { text: 'Side of images.' },
    'run.world_size': { text: 'A placeholder: the launcher overwrites it.' },
  },
};
