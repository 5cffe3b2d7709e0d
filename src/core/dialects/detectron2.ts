import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, countOrNone, flag, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import {
  ampRow,
  largestSquare,
  noAccumulation,
  pixels,
  rawRow,
  sentence,
  shareOf,
  wholeModel,
  writesGlobal,
} from './shared/vision';
import type { Size } from './shared/vision';

const SOURCE = 'detectron2/config/defaults.py';

const KINDS: Readonly<Record<string, string>> = { PanopticFPN: 'panoptic_fpn', RetinaNet: 'retinanet' };

/** Kinds of R-CNN, as the model zoo calls them. */
function kindOf(run: RunReader, architecture: string): string | null {
  if (architecture !== 'GeneralizedRCNN') return KINDS[architecture] ?? null;
  if (run.flag('MODEL.KEYPOINT_ON')) return 'keypoint_rcnn';
  if (!run.flag('MODEL.MASK_ON')) return 'faster_rcnn';
  return run.word('MODEL.ROI_HEADS.NAME') === 'CascadeROIHeads' ? 'cascade_mask_rcnn' : 'mask_rcnn';
}

/** The model zoo's name of what the keys describe; of architectures outside the zoo their own. */
function model(run: RunReader): Quantity<string> {
  const base = run.get('globalBatchSize');
  if (base.value === null) return run.unknown('A file beneath this config is not there.');
  const key = 'MODEL.META_ARCHITECTURE';
  // Without it the default would hold; but then the file is laid beneath others, which say it.
  const architecture = run.word(key);
  if (architecture === null) return run.unknown(`${key} is not set: the config is laid beneath others.`);
  const kind = kindOf(run, architecture);
  const backbone = run.word('MODEL.BACKBONE.NAME') ?? 'build_resnet_backbone';
  if (kind === null || !backbone.includes('resnet')) {
    return run.at(key, architecture);
  }
  const depth = run.count('MODEL.RESNETS.DEPTH') ?? 50;
  const groups = run.count('MODEL.RESNETS.NUM_GROUPS') ?? 1;
  const width = run.count('MODEL.RESNETS.WIDTH_PER_GROUP') ?? 64;
  const trunk = groups > 1 ? `X_${depth}_${groups}x${width}d` : `R_${depth}`;
  const dilated = run.count('MODEL.RESNETS.RES5_DILATION') === 2;
  const neck = backbone.includes('fpn') ? 'FPN' : dilated ? 'DC5' : 'C4';
  return run.derived(
    kind === 'panoptic_fpn' ? `${kind}_${trunk}` : `${kind}_${trunk}_${neck}`,
    [key, 'MODEL.BACKBONE.NAME', 'MODEL.RESNETS.DEPTH'],
    `${architecture} on ${backbone}`,
  );
}

/** The largest of the sides that are drawn, and what the longer one is cut to. */
function imageSize(run: RunReader): Quantity<Size> {
  const square = run.read('INPUT.IMAGE_SIZE', largestSquare);
  if (square !== null) return run.at('INPUT.IMAGE_SIZE', square);
  const crop = run.read('INPUT.CROP.SIZE', pixels('hw'));
  if (run.flag('INPUT.CROP.ENABLED') && crop !== null && run.word('INPUT.CROP.TYPE') === 'absolute') {
    return run.at('INPUT.CROP.SIZE', crop);
  }
  if (run.get('globalBatchSize').value === null) {
    return run.unknown('A file beneath this config is not there.');
  }
  const short = run.read('INPUT.MIN_SIZE_TRAIN', largestSquare)?.[0] ?? 800;
  const long = run.count('INPUT.MAX_SIZE_TRAIN') ?? 1333;
  const keys = ['INPUT.MIN_SIZE_TRAIN', 'INPUT.MAX_SIZE_TRAIN'];
  const said = keys.some(key => run.has(key));
  const size: Size = [Math.max(long, short), short];
  return said
    ? run.derived(size, keys, 'the longest and the largest short side that are drawn')
    : run.byDefault(size, `${SOURCE} L56-63`);
}

/** Detectron2's configs and those of projects on it; sources are files of facebookresearch/detectron2 02b5c4e (0.6). */
export const detectron2: Dialect = {
  id: 'detectron2',
  title: 'Detectron2',
  role: 'run',
  framework: { name: 'detectron2', version: '0.6' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'SOLVER.IMS_PER_BATCH',
      'MODEL.META_ARCHITECTURE',
      'MODEL.ROI_HEADS.*',
      'INPUT.MIN_SIZE_TRAIN',
      'MODEL.RESNETS.*',
      'MODEL.MASK_FORMER.*',
      'MODEL.SEM_SEG_HEAD.*',
      'MODEL.RETINANET.*',
    ],
    medium: [
      '_BASE_',
      'MODEL.WEIGHTS~^(detectron2://|.*\\.pkl)',
      'SOLVER.MAX_ITER',
      'SOLVER.STEPS',
      'DATASETS.TRAIN',
      'VERSION~^2$',
      'MODEL.MASK_ON',
      'SOLVER.BASE_LR',
      'TEST.EVAL_PERIOD',
    ],
    weak: ['SOLVER.AMP.ENABLED', 'DATALOADER.NUM_WORKERS', 'OUTPUT_DIR'],
    against: [
      'TRAINER',
      'MODEL.HEADS.*',
      'INPUT.SIZE_TRAIN',
      'DATALOADER.NUM_INSTANCE',
      'MODEL.TYPE',
      'TRAIN.BATCH_SIZE_TOTAL',
      'TRAIN.*',
    ],
    least: 5,
  },
  quantities: {
    ...wholeModel('detectron2/engine/defaults.py'),
    model,
    task: run =>
      /Semantic|MaskFormer|PanopticDeepLab/.test(run.word('MODEL.META_ARCHITECTURE') ?? '')
        ? run.derived('segmentation', ['MODEL.META_ARCHITECTURE'], 'what the architecture is made for')
        : run.byCode('object_detection', 'tools/train_net.py'),
    globalBatchSize: {
      keys: ['SOLVER.IMS_PER_BATCH'],
      read: count,
      absent: { value: 16, source: `${SOURCE} L562` },
    },
    microBatchSize: shareOf,
    gradAccum: noAccumulation('detectron2/engine/train_loop.py: every batch is a step'),
    imageSize,
    precision: ampRow('SOLVER.AMP.ENABLED', false, `${SOURCE}: SOLVER.AMP.ENABLED`),
    precisionRaw: rawRow('SOLVER.AMP.ENABLED'),
    optimizer: {
      keys: ['SOLVER.OPTIMIZER'],
      read: word,
      absent: { value: 'SGD', source: 'detectron2/solver/build.py' },
    },
    numWorkers: {
      keys: ['DATALOADER.NUM_WORKERS'],
      read: countOrNone,
      absent: { value: 4, source: `${SOURCE} L115` },
    },
    accelerator: { keys: ['MODEL.DEVICE'], read: word, absent: { value: 'cuda', source: `${SOURCE} L32` } },
    gradientCheckpointing: {
      keys: ['MODEL.SWIN.USE_CHECKPOINT'],
      read: flag,
    },
  },
  details: { autocast: autocastByPrecision },
  writers: {
    ...writesGlobal('SOLVER.IMS_PER_BATCH'),
    gradAccum: sentence('Detectron2 steps after every batch.'),
  },
  compose: withBases({ keys: ['_BASE_'], ignores: /^(?:https?|detectron2):/ }),
  launch: [
    {
      argv: ['python', 'tools/train_net.py', '--config-file', '{config}', '--num-gpus', '{gpus}'],
      resume: [
        ...['python', 'tools/train_net.py', '--config-file', '{config}', '--num-gpus', '{gpus}'],
        '--resume',
      ],
      writes: ['OUTPUT_DIR'],
      source: 'detectron2/engine/defaults.py: default_argument_parser',
    },
  ],
  logs: [
    {
      pattern: String.raw`iter: (?<step>\d+)\s+total_loss: (?<loss>[\d.]+).*?\stime: (?<secondsPerStep>[\d.]+)`,
      fields: ['step', 'loss', 'secondsPerStep'],
      example: 'eta: 1:02:03  iter: 19  total_loss: 2.53  loss_cls: 1.2  time: 0.3521  data_time: 0.0124',
      source: 'detectron2/utils/events.py L270-316',
    },
    {
      pattern: String.raw`lr: (?<learningRate>[\d.e+-]+)\s+max_mem: (?<allocatedMiB>\d+)M`,
      fields: ['learningRate', 'allocatedMiB'],
      example: 'lr: 4.9953e-05  max_mem: 2345M',
      source: 'detectron2/utils/events.py: torch.cuda.max_memory_allocated',
    },
  ],
  help: {
    'SOLVER.IMS_PER_BATCH': {
      text: 'Images of one step over all GPUs together; each takes its share.',
      byDefault: '16',
    },
    'INPUT.MIN_SIZE_TRAIN': { text: 'Short sides that are drawn: the largest decides the memory.' },
    'INPUT.MAX_SIZE_TRAIN': { text: 'What the longer side is cut to.' },
    'SOLVER.AMP.ENABLED': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE': {
      text: 'Boxes of an image that the heads are trained on: their activations grow with it.',
    },
    'MODEL.RPN.PRE_NMS_TOPK_TRAIN': { text: 'Proposals before suppression.' },
    'MODEL.RESNETS.DEPTH': { text: 'Layers of the backbone.' },
    'MODEL.BACKBONE.FREEZE_AT': {
      text: 'Stages of the backbone that are frozen, and keep nothing for backward.',
    },
    'MODEL.DEVICE': { text: 'Where it trains.', values: ['cuda', 'cpu'], byDefault: 'cuda' },
    'DATALOADER.NUM_WORKERS': { text: 'Processes of each GPU that load data, on the host only.' },
  },
};
