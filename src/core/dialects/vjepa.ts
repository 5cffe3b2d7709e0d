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
  launch: [
    {
      argv: ['python', '-m', 'app.main', '--fname', '{config}', '--devices', 'cuda:0'],
      source: 'V-JEPA 2 README.md; app.main_distributed submits to Slurm',
    },
  ],
  logs: [
    {
      pattern: String.raw`\[(?<epoch>\d+),\s*(?<step>\d+)\] loss: (?<loss>[\d.]+) .*?\[mem: (?<allocatedMiB>[\d.e+]+)\]`,
      fields: ['epoch', 'step', 'loss', 'allocatedMiB'],
      example: '[1,   10] loss: 0.512 [wd: 4.00e-02] [lr: 1.00e-04] [mem: 3.42e+04] [iter: 812.3 ms]',
      source: 'app/vjepa/train.py L507-518',
    },
  ],
  help: {
    'data.batch_size': { text: 'Clips of one forward pass on each GPU.' },
    'data.crop_size': { text: 'Side of a frame.' },
    'data.dataset_fpcs': { text: 'Frames of a clip, for each dataset.' },
    'data.patch_size': { text: 'Side of a patch: tokens are (side ÷ patch)² × frames ÷ tubelet.' },
    'data.tubelet_size': { text: 'Frames of a token.' },
    'model.use_activation_checkpointing': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['true', 'false'],
    },
    'meta.dtype': { text: 'Dtype of the products.', values: ['bfloat16', 'float16', 'float32'] },
    mem_per_gpu: { text: 'Host memory that Slurm gives each task; nothing on the GPU.' },
    tasks_per_node: { text: 'GPUs of a node.' },
    nodes: { text: 'Nodes.' },
  },
};
