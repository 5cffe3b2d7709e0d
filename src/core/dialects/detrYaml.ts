import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { shareOfGlobal } from './engine/common';
import { count, countOrNone, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import {
  averagedBy,
  ampRow,
  largestSquare,
  noAccumulation,
  onCuda,
  pixels,
  rawRow,
  shareOf,
  wholeModel,
} from './shared/vision';
import type { Size } from './shared/vision';
import { metricLogger } from './shared/metricLogger';

const KEYS = 'train_dataloader';

/** The largest side that a batch is resized to: `scales`, or a base that grows by a quarter (D-FINE). */
function imageSize(run: RunReader): Quantity<Size> {
  const scales = run.read(`${KEYS}.collate_fn.scales`, largestSquare);
  if (scales !== null) return run.at(`${KEYS}.collate_fn.scales`, scales);
  const base = run.count(`${KEYS}.collate_fn.base_size`);
  if (base !== null) {
    const repeats = run.has(`${KEYS}.collate_fn.base_size_repeat`);
    const side = repeats ? Math.floor((base * 1.25) / 32) * 32 : base;
    return run.derived(
      [side, side],
      [`${KEYS}.collate_fn.base_size`],
      'base_size and a quarter, in steps of 32',
    );
  }
  const size = run.read('eval_spatial_size', pixels('hw'));
  return size === null ? run.unknown('No key says the size of images.') : run.at('eval_spatial_size', size);
}

/** RT-DETR, D-FINE, DEIM; sources are files of lyuwenyu/RT-DETR 068dfde (rtdetrv2_pytorch) and Peterande/D-FINE 4a1f73a. */
export const detrYaml: Dialect = {
  id: 'detr-yaml',
  title: 'RT-DETR, D-FINE',
  role: 'run',
  framework: { name: 'rt-detr', version: '068dfde' },
  loader: 'pyyaml',
  signature: {
    strong: [
      '__include__',
      'train_dataloader.total_batch_size',
      'HybridEncoder.*',
      'RTDETRTransformerv2.*',
      'DFINETransformer.*',
    ],
    medium: [
      'use_ema',
      'use_amp',
      'sync_bn',
      'scaler.type',
      'ema.type',
      'val_dataloader.total_batch_size',
      'train_dataloader.collate_fn.*',
      'epochs',
      'optimizer.params',
      'RTDETR.*',
      'DFINE.*',
      'DEIM.*',
      'eval_spatial_size',
      'epoches',
    ],
    weak: ['print_freq', 'checkpoint_freq', 'find_unused_parameters'],
    against: ['TrainReader.*'],
    least: 5,
  },
  quantities: {
    ...wholeModel('src/solver/det_solver.py'),
    model: { keys: ['model'], read: word },
    task: run => {
      const task = run.word('task');
      if (task === null) return run.byCode('object_detection', 'src/solver/det_solver.py');
      return run.at('task', task === 'detection' ? 'object_detection' : task);
    },
    globalBatchSize: { keys: [`${KEYS}.total_batch_size`], read: count },
    microBatchSize: run => {
      const each = run.count(`${KEYS}.batch_size`);
      return each === null ? shareOf(run) : run.at(`${KEYS}.batch_size`, each);
    },
    evalBatchSize: run => {
      const each = run.count('val_dataloader.batch_size');
      if (each !== null) return run.at('val_dataloader.batch_size', each);
      const key = 'val_dataloader.total_batch_size';
      return shareOfGlobal(run, run.at(key, run.count(key)));
    },
    gradAccum: noAccumulation('src/solver/det_engine.py: every batch is a step'),
    imageSize,
    precision: ampRow('use_amp', false, 'configs/runtime.yml: use_amp is False'),
    precisionRaw: rawRow('use_amp'),
    optimizer: { keys: ['optimizer.type'], read: word },
    accelerator: onCuda('src/core/yaml_config.py'),
    numWorkers: {
      keys: [`${KEYS}.num_workers`],
      read: countOrNone,
      absent: { value: 4, source: 'configs/*/include/dataloader.yml' },
    },
  },
  details: { autocast: autocastByPrecision, averagedWeights: averagedBy('use_ema') },
  writers: {
    microBatchSize: (to, run) => {
      if (run.has(`${KEYS}.batch_size`)) {
        return { ok: true, writes: [{ key: `${KEYS}.batch_size`, value: to }] };
      }
      const gpus = run.get('gpus').value;
      return gpus === null
        ? {
            ok: false,
            why: 'total_batch_size counts all GPUs together, and their number is not in the files.',
          }
        : { ok: true, writes: [{ key: `${KEYS}.total_batch_size`, value: to * gpus }] };
    },
  },
  compose: withBases({ keys: ['__include__'] }),
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node={gpus}', 'tools/train.py', '-c', '{config}', '--seed=0'],
      source: 'RT-DETR rtdetrv2_pytorch/README.md; keys follow as -u train_dataloader.total_batch_size=8',
    },
  ],
  logs: [metricLogger('src/misc/logger.py, MetricLogger')],
  help: {
    'train_dataloader.total_batch_size': {
      text: 'Images of one step over all GPUs together; each takes its share. Exactly one of this and `batch_size` may be there.',
    },
    'train_dataloader.batch_size': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    'val_dataloader.total_batch_size': { text: 'Images of one pass of validation over all GPUs.' },
    use_amp: {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    use_ema: { text: 'A second copy of the weights on the GPU.', values: ['True', 'False'] },
    sync_bn: {
      text: 'Statistics of batch norms over all GPUs; it changes no memory to speak of.',
      values: ['True', 'False'],
    },
    'train_dataloader.collate_fn.scales': {
      text: 'Sides that batches are resized to: the largest decides the memory.',
    },
    'train_dataloader.collate_fn.base_size': {
      text: 'Side of images; with `base_size_repeat` batches grow to a quarter more.',
    },
    eval_spatial_size: { text: 'Height and width in validation.' },
    'optimizer.type': { text: 'AdamW keeps two states a parameter.' },
  },
};
