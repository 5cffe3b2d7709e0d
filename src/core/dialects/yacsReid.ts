import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, countOrNone, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { madeFor, noAccumulation, pixels, rawRow, shareOf, wholeModel, writesGlobal } from './shared/vision';

/** JDAI-CV/fast-reid c9bc3ce (fastreid/config/defaults.py) and damo-cv/TransReID dec5504, which grew from the same. */
const SOURCE = 'fastreid/config/defaults.py';

const isTransReid = (run: RunReader): boolean =>
  run.has('MODEL.DEVICE_ID') || run.has('MODEL.TRANSFORMER_TYPE') || run.has('SOLVER.OPTIMIZER_NAME');

/** Re-identification on Detectron2's words, with a size of its own. */
export const yacsReid: Dialect = {
  id: 'yacs-reid',
  title: 'fast-reid, TransReID',
  role: 'run',
  framework: { name: 'fastreid', version: '1.3.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['INPUT.SIZE_TRAIN', 'DATALOADER.NUM_INSTANCE', '_BASE_~Base-(bagtricks|SBS|AGW|MGN|MoCo)'],
    medium: [
      'SOLVER.IMS_PER_BATCH',
      'TEST.IMS_PER_BATCH',
      'MODEL.HEADS.*',
      'MODEL.DEVICE_ID',
      'MODEL.LOSSES.*',
      'DATASETS.NAMES',
    ],
    weak: ['SOLVER.BASE_LR', 'SOLVER.MAX_EPOCH', 'SOLVER.MAX_EPOCHS'],
    against: ['MODEL.META_ARCHITECTURE~RCNN|RetinaNet', 'MODEL.RESNETS.*'],
    least: 6,
  },
  quantities: {
    ...wholeModel('fastreid/engine/defaults.py'),
    model: { keys: ['MODEL.TRANSFORMER_TYPE', 'MODEL.META_ARCHITECTURE', 'MODEL.NAME'], read: word },
    task: madeFor('reid', 'both train embeddings of persons and vehicles'),
    globalBatchSize: { keys: ['SOLVER.IMS_PER_BATCH'], read: count, absent: { value: 64, source: SOURCE } },
    microBatchSize: shareOf,
    gradAccum: noAccumulation('fastreid/engine/train_loop.py'),
    evalBatchSize: { keys: ['TEST.IMS_PER_BATCH'], read: count, scope: 'global' },
    imageSize: {
      keys: ['INPUT.SIZE_TRAIN'],
      read: pixels('hw'),
      absent: { value: [128, 256], source: SOURCE },
    },
    precision: run => {
      const on = run.flag('SOLVER.AMP.ENABLED');
      if (on !== null) return run.at('SOLVER.AMP.ENABLED', on ? 'fp16-mixed' : 'fp32');
      return isTransReid(run)
        ? run.byCode('fp16-mixed', 'processor/processor.py: autocast, always')
        : run.byDefault('fp32', `${SOURCE}: SOLVER.AMP.ENABLED is False`);
    },
    precisionRaw: rawRow('SOLVER.AMP.ENABLED'),
    optimizer: {
      keys: ['SOLVER.OPT', 'SOLVER.OPTIMIZER_NAME'],
      read: word,
      absent: { value: 'Adam', source: SOURCE },
    },
    accelerator: { keys: ['MODEL.DEVICE'], read: word, absent: { value: 'cuda', source: SOURCE } },
    numWorkers: { keys: ['DATALOADER.NUM_WORKERS'], read: countOrNone, absent: { value: 8, source: SOURCE } },
  },
  details: { autocast: autocastByPrecision },
  writers: writesGlobal('SOLVER.IMS_PER_BATCH'),
  compose: withBases({ keys: ['_BASE_'] }),
  launch: [
    {
      argv: ['python', 'tools/train_net.py', '--config-file', '{config}', '--num-gpus', '{gpus}'],
      source: 'fast-reid GETTING_STARTED.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`lr: (?<learningRate>[\d.e+-]+)\s+max_mem: (?<allocatedMiB>\d+)M`,
      fields: ['learningRate', 'allocatedMiB'],
      example:
        'eta: 1:02:03  epoch/iter: 0/199  total_loss: 7.21  time: 0.2012  data_time: 0.0012  lr: 7.0e-05  max_mem: 4321M',
      source: 'fastreid/utils/events.py: torch.cuda.max_memory_allocated',
    },
  ],
  help: {
    'SOLVER.IMS_PER_BATCH': {
      text: 'Images of one step over all GPUs together; each takes its share.',
      byDefault: '64',
    },
    'TEST.IMS_PER_BATCH': { text: 'Images of one pass of testing over all GPUs.' },
    'DATALOADER.NUM_INSTANCE': {
      text: 'Images of each identity in a batch: the batch has to hold whole groups of them.',
    },
    'INPUT.SIZE_TRAIN': { text: 'Height and width of images.' },
    'SOLVER.AMP.ENABLED': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'MODEL.DEVICE_ID': { text: 'Index of the GPU, no number of them.' },
  },
};
