import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, madeFor, onCuda, pixels, rawRow, shareOf, wholeModel, writesGlobal } from './shared/vision';
import { xdecoderForm } from '../data/forms/trainers';

/** X-Decoder and SEEM; sources are files of microsoft/X-Decoder 165f8a6. */
export const yacsXdecoder: Dialect = {
  id: 'yacs-xdecoder',
  title: 'X-Decoder',
  role: 'run',
  framework: { name: 'x-decoder', version: '165f8a6' },
  loader: 'pyyaml',
  signature: {
    strong: ['TRAIN.BATCH_SIZE_TOTAL'],
    medium: [
      'TRAIN.BATCH_SIZE_PER_GPU',
      'MODEL.ENCODER.*',
      'MODEL.DECODER.*',
      'TRAINER',
      'GRADIENT_ACCUMULATE_STEP',
      'FP16',
    ],
    weak: ['SOLVER.MAX_NUM_EPOCHS', 'COCO.*'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('trainer/default_trainer.py'),
    model: { keys: ['MODEL.NAME'], read: word },
    task: madeFor('segmentation', 'trainer/xdecoder_trainer.py'),
    globalBatchSize: { keys: ['TRAIN.BATCH_SIZE_TOTAL', 'COCO.TRAIN.BATCH_SIZE_TOTAL'], read: count },
    microBatchSize: shareOf,
    evalBatchSize: {
      keys: ['TEST.BATCH_SIZE_TOTAL', 'COCO.TEST.BATCH_SIZE_TOTAL'],
      read: count,
      scope: 'global',
    },
    gradAccum: {
      keys: ['GRADIENT_ACCUMULATE_STEP'],
      read: count,
      absent: { value: 1, source: 'trainer/default_trainer.py' },
    },
    imageSize: { keys: ['INPUT.IMAGE_SIZE', 'COCO.INPUT.IMAGE_SIZE', 'IMAGE_SIZE'], read: pixels('hw') },
    precision: ampRow('FP16', false, 'trainer/default_trainer.py'),
    precisionRaw: rawRow('FP16'),
    optimizer: { keys: ['SOLVER.OPTIMIZER', 'OPTIMIZER'], read: word },
    accelerator: onCuda('trainer/default_trainer.py'),
    numWorkers: { keys: ['DATALOADER.NUM_WORKERS', 'COCO.DATALOADER.NUM_WORKERS'], read: countOrNone },
  },
  details: { autocast: autocastByPrecision },
  writers: writesGlobal('TRAIN.BATCH_SIZE_TOTAL'),
  launch: [
    {
      argv: ['mpirun', '-n', '{gpus}', 'python', 'entry.py', 'train', '--conf_files', '{config}'],
      source: 'X-Decoder TRAIN.md',
    },
  ],
  logs: [xdecoderForm],
  help: {
    'TRAIN.BATCH_SIZE_TOTAL': { text: 'Images of one step over all GPUs together; each takes its share.' },
    'COCO.TRAIN.BATCH_SIZE_TOTAL': {
      text: 'Images of one step over all GPUs together; each takes its share.',
    },
    'TEST.BATCH_SIZE_TOTAL': { text: 'Images of one pass of testing over all GPUs.' },
    'TRAIN.BATCH_SIZE_PER_GPU': { text: 'Informational: `BATCH_SIZE_TOTAL` is what is read.' },
    GRADIENT_ACCUMULATE_STEP: { text: 'Batches added up before a step.', byDefault: '1' },
    FP16: {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
    },
  },
};
