import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { largestSquare, madeFor, mixedWord, noAccumulation, onCuda, wholeModel } from './shared/vision';
import { metricLogger } from './shared/metricLogger';

const SOURCE = 'dinov2/configs/ssl_default_config.yaml';

const DTYPE = 'compute_precision.student.backbone.mixed_precision.param_dtype';

/** DINOv2; sources are files of facebookresearch/dinov2 b8931f7. */
export const dinov2: Dialect = {
  id: 'dinov2',
  title: 'DINOv2',
  role: 'run',
  framework: { name: 'dinov2', version: 'b8931f7' },
  loader: 'omegaconf',
  signature: {
    strong: ['train.batch_size_per_gpu', 'crops.local_crops_size', 'dino.head_n_prototypes'],
    medium: ['student.arch', 'teacher.momentum_teacher', 'ibot.*', 'compute_precision.*', 'optim.base_lr'],
    weak: [],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('dinov2/train/train.py'),
    model: { keys: ['student.arch'], read: word, absent: { value: 'vit_large', source: SOURCE } },
    task: madeFor('ssl', 'dinov2/train/train.py'),
    microBatchSize: {
      keys: ['train.batch_size_per_gpu'],
      read: count,
      absent: { value: 64, source: SOURCE },
    },
    gradAccum: noAccumulation('dinov2/train/train.py: every batch is a step'),
    imageSize: {
      keys: ['crops.global_crops_size'],
      read: largestSquare,
      absent: { value: [224, 224], source: SOURCE },
    },
    precision: {
      keys: [DTYPE],
      read: mixedWord,
      absent: { value: 'fp16-mixed', source: SOURCE },
    },
    precisionRaw: run => {
      const dtype = run.word(DTYPE);
      return dtype === null
        ? run.byDefault('compute_precision.*.mixed_precision.param_dtype fp16', SOURCE)
        : run.at(DTYPE, `${DTYPE} ${dtype}`);
    },
    optimizer: run => run.byCode('AdamW', 'dinov2/train/train.py: build_optimizer'),
    fsdp: run =>
      run.byDefault(
        { version: 1, strategy: 'SHARD_GRAD_OP', offloadParams: false, activationCheckpointing: false },
        SOURCE,
      ),
    strategy: run => run.byDefault('fsdp SHARD_GRAD_OP', SOURCE),
    accelerator: onCuda('dinov2/train/train.py'),
    numWorkers: { keys: ['train.num_workers'], read: countOrNone, absent: { value: 10, source: SOURCE } },
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node={gpus}',
        'dinov2/train/train.py',
        '--config-file',
        '{config}',
        '--output-dir',
        'out',
      ],
      source: 'DINOv2 README.md: dinov2/run/train/train.py submits the same to Slurm',
    },
  ],
  logs: [metricLogger('dinov2/logging/helpers.py, MetricLogger')],
  help: {
    'train.batch_size_per_gpu': {
      text: 'Images on each GPU, of each of which all crops go through the network.',
    },
    'crops.global_crops_size': { text: 'Side of the two large crops.' },
    'crops.local_crops_number': { text: 'Small crops of each image: activations grow with their number.' },
    'crops.local_crops_size': { text: 'Side of the small crops.' },
    'student.arch': { text: 'The network; a teacher of the same size stands beside it.' },
    'student.drop_path_rate': {
      text: 'Share of rows that skip a block: they are left out, which takes less.',
    },
    'compute_precision.grad_scaler': { text: 'Scales the loss, for fp16.', values: ['true', 'false'] },
  },
};
