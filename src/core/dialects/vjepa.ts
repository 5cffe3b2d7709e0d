import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import {
  items,
  madeFor,
  mixedWord,
  noAccumulation,
  onCuda,
  pixels,
  rawRow,
  wholeModel,
} from './shared/vision';

/** V-JEPA 2; sources are lines of facebookresearch/vjepa2 c2963a4. */
export const vjepa: Dialect = {
  id: 'vjepa',
  title: 'V-JEPA 2',
  role: 'run',
  framework: { name: 'vjepa2', version: 'c2963a4' },
  loader: 'pyyaml',
  signature: {
    strong: ['app~^vjepa', 'tasks_per_node', 'mask[].*', 'mem_per_gpu'],
    medium: [
      'meta.dtype',
      'data.tubelet_size',
      'optimization.ipe',
      'model.pred_depth',
      'nodes',
      'cpus_per_task',
      'loss.loss_exp',
    ],
    weak: ['data.batch_size'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('app/vjepa/train.py'),
    model: { keys: ['model.model_name'], read: word },
    task: madeFor('ssl', 'app/vjepa/train.py'),
    microBatchSize: { keys: ['data.batch_size'], read: count },
    gradAccum: noAccumulation('app/vjepa/train.py'),
    imageSize: { keys: ['data.crop_size'], read: pixels('hw') },
    precision: { keys: ['meta.dtype'], read: mixedWord },
    precisionRaw: rawRow('meta.dtype'),
    optimizer: run => run.byCode('AdamW', 'app/vjepa/utils.py: init_opt'),
    gradientCheckpointing: { keys: ['model.use_activation_checkpointing'], read: flag },
    devices: { keys: ['tasks_per_node'], read: count },
    nodes: { keys: ['nodes'], read: count },
    strategy: run => run.byCode('ddp', 'app/vjepa/train.py: DistributedDataParallel'),
    accelerator: onCuda('app/vjepa/train.py'),
    numWorkers: { keys: ['data.num_workers'], read: countOrNone },
  },
  details: {
    autocast: autocastByPrecision,
    frames: run => {
      const frames = items(run.value('data.dataset_fpcs'))?.map(Number) ?? [];
      return frames.length === 0
        ? run.unknown('data.dataset_fpcs is not set.')
        : run.at('data.dataset_fpcs', Math.max(...frames));
    },
  },
};
