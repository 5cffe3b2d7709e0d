import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, countOrNone, flag, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, madeFor, onCuda, pixels, rawRow, wholeModel } from './shared/vision';

const SOURCE = 'config.py';

/** Swin Transformer's training and its many forks; sources are lines of microsoft/Swin-Transformer f82860b. */
export const yacsSwin: Dialect = {
  id: 'yacs-swin',
  title: 'Swin Transformer',
  role: 'run',
  framework: { name: 'swin-transformer', version: 'f82860b' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'MODEL.TYPE~^(swin|swinv2|swin_moe|swin_mlp|vit)',
      'MODEL.SWIN.*',
      'MODEL.SWINV2.*',
      'MODEL.SWIN_MOE.*',
    ],
    medium: ['MODEL.NAME~swin|simmim|vit', 'MODEL.DROP_PATH_RATE'],
    weak: ['DATA.IMG_SIZE', 'TRAIN.EPOCHS', 'TRAIN.BASE_LR'],
    against: ['SOLVER.*', 'MODEL.META_ARCHITECTURE', '_BASE_'],
    least: 6,
  },
  quantities: {
    ...wholeModel('main.py'),
    model: { keys: ['MODEL.NAME'], read: word },
    task: madeFor('image_classification', 'main.py'),
    microBatchSize: {
      keys: ['DATA.BATCH_SIZE'],
      read: count,
      absent: { value: 128, source: `${SOURCE} L26` },
    },
    gradAccum: {
      keys: ['TRAIN.ACCUMULATION_STEPS'],
      read: count,
      absent: { value: 1, source: SOURCE },
    },
    imageSize: { keys: ['DATA.IMG_SIZE'], read: pixels('hw'), absent: { value: [224, 224], source: SOURCE } },
    precision: ampRow('AMP_ENABLE', true, `${SOURCE}: AMP_ENABLE is True`),
    precisionRaw: rawRow('AMP_ENABLE'),
    optimizer: { keys: ['TRAIN.OPTIMIZER.NAME'], read: word, absent: { value: 'adamw', source: SOURCE } },
    gradientCheckpointing: {
      keys: ['TRAIN.USE_CHECKPOINT'],
      read: flag,
      absent: { value: false, source: SOURCE },
    },
    accelerator: onCuda('main.py'),
    numWorkers: { keys: ['DATA.NUM_WORKERS'], read: countOrNone, absent: { value: 8, source: SOURCE } },
  },
  details: { autocast: autocastByPrecision },
  compose: withBases({ keys: ['BASE'] }),
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node', '{gpus}', 'main.py', '--cfg', '{config}'],
      source: 'get_started.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`Train: \[(?<epoch>\d+)/(?<epochs>\d+)\]\[(?<step>\d+)/(?<steps>\d+)\].*?mem (?<allocatedMiB>\d+)MB`,
      fields: ['epoch', 'epochs', 'step', 'steps', 'allocatedMiB'],
      example:
        'Train: [0/300][10/1251]\teta 3:21:05 lr 0.000001\ttime 0.4503 (0.9811)\tloss 6.9511 (6.9523)\tmem 12345MB',
      source: 'main.py L220-229: max_memory_allocated',
    },
  ],
  help: {
    'DATA.BATCH_SIZE': { text: 'Images of one forward pass on each GPU.', byDefault: '128' },
    'DATA.IMG_SIZE': { text: 'Side of images in pixels: windows grow with its square.', byDefault: '224' },
    'DATA.NUM_WORKERS': { text: 'Processes that load data, of each GPU, on the host only.', byDefault: '8' },
    'TRAIN.ACCUMULATION_STEPS': {
      text: 'Batches added up before a step; the learning rate is scaled by the product.',
      byDefault: '1',
    },
    'TRAIN.USE_CHECKPOINT': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'TRAIN.OPTIMIZER.NAME': {
      text: 'AdamW keeps eight bytes of states a parameter, sgd four; the fused ones keep what theirs do.',
      values: ['adamw', 'sgd', 'fused_adam', 'fused_lamb'],
      byDefault: 'adamw',
    },
    AMP_ENABLE: {
      text: 'Autocast in fp16 with a gradient scaler.',
      values: ['True', 'False'],
      byDefault: 'True',
    },
    AMP_OPT_LEVEL: {
      text: 'Apex’ level of older releases: O0 is none; newer ones take it for AMP_ENABLE.',
      values: ['O0', 'O1', 'O2'],
    },
    FUSED_WINDOW_PROCESS: {
      text: 'A kernel that shifts and cuts windows in one pass: fewer copies of each layer’s input.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'MODEL.DROP_PATH_RATE': { text: 'Share of residual branches that are left out; it takes no memory.' },
    'MODEL.SWIN.EMBED_DIM': {
      text: 'Width of the first stage; each further one is twice as wide.',
      byDefault: '96',
    },
    'MODEL.SWIN.WINDOW_SIZE': {
      text: 'Side of windows in patches: scores grow with its fourth power, their number shrinks with its square.',
      byDefault: '7',
    },
  },
};
