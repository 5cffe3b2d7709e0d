import type { Method } from '../spec/values';
import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { madeFor, noAccumulation, onCuda, pixels, rawRow, wholeModel } from './shared/vision';
import { dasslForm } from '../data/forms/trainers';

/** CoOp and other trainers on Dassl; sources are files of KaiyangZhou/CoOp ff61507 and Dassl.pytorch's defaults. */
export const yacsDassl: Dialect = {
  id: 'yacs-dassl',
  title: 'Dassl',
  role: 'run',
  framework: { name: 'dassl', version: '0.6.3' },
  loader: 'pyyaml',
  signature: {
    strong: ['DATALOADER.TRAIN_X.BATCH_SIZE'],
    medium: ['OPTIM.NAME', 'INPUT.SIZE', 'MODEL.BACKBONE.NAME', 'TRAINER.*'],
    weak: ['TRAIN.PRINT_FREQ', 'DATALOADER.NUM_WORKERS'],
    against: [],
    least: 4,
  },
  quantities: {
    ...wholeModel('dassl/engine/trainer.py'),
    method: run =>
      run.has('TRAINER.COOP') || run.has('TRAINER.COCOOP')
        ? run.byCode<Method>('prompt', 'trainers/coop.py: only the prompt learner is trained')
        : run.unknown('The trainer on the command line decides what is trained.'),
    model: { keys: ['MODEL.BACKBONE.NAME'], read: word },
    task: madeFor('image_classification', 'dassl/engine/trainer.py'),
    microBatchSize: {
      keys: ['DATALOADER.TRAIN_X.BATCH_SIZE'],
      read: count,
      absent: { value: 32, source: 'dassl/config/defaults.py' },
    },
    evalBatchSize: { keys: ['DATALOADER.TEST.BATCH_SIZE'], read: count },
    gradAccum: noAccumulation('dassl/engine/trainer.py'),
    imageSize: {
      keys: ['INPUT.SIZE'],
      read: pixels('hw'),
      absent: { value: [224, 224], source: 'dassl/config/defaults.py' },
    },
    precision: run => {
      const said = run.word('TRAINER.COOP.PREC') ?? run.word('TRAINER.COCOOP.PREC');
      if (said === null) return run.unknown('PREC is the trainer’s own.');
      return run.at(['TRAINER.COOP.PREC', 'TRAINER.COCOOP.PREC'], said === 'amp' ? 'fp16-mixed' : said);
    },
    precisionRaw: rawRow('TRAINER.COOP.PREC', 'TRAINER.COCOOP.PREC'),
    optimizer: { keys: ['OPTIM.NAME'], read: word },
    accelerator: onCuda('dassl/engine/trainer.py'),
    numWorkers: { keys: ['DATALOADER.NUM_WORKERS'], read: countOrNone },
  },
  launch: [
    {
      argv: ['python', 'train.py', '--config-file', '{config}', '--trainer', 'CoOp'],
      source: 'CoOp README.md; CUDA_VISIBLE_DEVICES chooses the GPU',
    },
  ],
  logs: [dasslForm],
  help: {
    'DATALOADER.TRAIN_X.BATCH_SIZE': {
      text: 'Images of one forward pass; DataParallel cuts it up where there are several GPUs.',
    },
    'DATALOADER.TEST.BATCH_SIZE': { text: 'Images of one pass of testing.' },
    'TRAINER.COOP.PREC': {
      text: 'Dtype: `fp16` has weights in 16 bits, `amp` autocasts.',
      values: ['fp16', 'fp32', 'amp'],
    },
  },
};
