import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, noAccumulation, rawRow, wholeModel } from './shared/vision';
import { visslForm } from '../data/forms/trainers';

const SOURCE = 'vissl/config/defaults.yaml';

/** VISSL; sources are lines of facebookresearch/vissl 09270ed. */
export const vissl: Dialect = {
  id: 'vissl',
  title: 'VISSL',
  role: 'run',
  framework: { name: 'vissl', version: '0.1.6' },
  loader: 'omegaconf',
  signature: {
    strong: ['config.DATA.TRAIN.*', 'config.MODEL.TRUNK.*', 'config.DISTRIBUTED.*'],
    medium: [
      'config.OPTIMIZER.*',
      'config.LOSS.*',
      'config.MACHINE.*',
      'config.DATA.TRAIN.BATCHSIZE_PER_REPLICA',
    ],
    weak: [],
    against: [],
    least: 4,
  },
  quantities: {
    ...wholeModel('vissl/trainer'),
    model: { keys: ['config.MODEL.TRUNK.NAME'], read: word },
    task: run => {
      const loss = run.word('config.LOSS.name');
      return loss === null
        ? run.unknown('config.LOSS.name is not set.')
        : run.at('config.LOSS.name', loss.startsWith('cross_entropy') ? 'image_classification' : 'ssl');
    },
    microBatchSize: {
      keys: ['config.DATA.TRAIN.BATCHSIZE_PER_REPLICA'],
      read: count,
      absent: { value: 256, source: `${SOURCE} L298` },
    },
    evalBatchSize: { keys: ['config.DATA.TEST.BATCHSIZE_PER_REPLICA'], read: count },
    gradAccum: noAccumulation('vissl/trainer/train_steps'),
    imageSize: run => {
      const list = run.value('config.DATA.TRAIN.TRANSFORMS');
      const steps = Array.isArray(list) ? (list as readonly unknown[]) : [];
      const sizes = steps.flatMap(step =>
        typeof step === 'object' && step !== null && 'size' in step ? [step.size] : [],
      );
      const size = sizes.find(one => typeof one === 'number');
      return typeof size === 'number'
        ? run.at('config.DATA.TRAIN.TRANSFORMS', [size, size] as const)
        : run.unknown('No transform says the size.');
    },
    precision: ampRow('config.MODEL.AMP_PARAMS.USE_AMP', false, `${SOURCE} L922`),
    precisionRaw: rawRow('config.MODEL.AMP_PARAMS.USE_AMP'),
    optimizer: { keys: ['config.OPTIMIZER.name'], read: word },
    gradientCheckpointing: {
      keys: ['config.MODEL.ACTIVATION_CHECKPOINTING.USE_ACTIVATION_CHECKPOINTING'],
      read: flag,
      absent: { value: false, source: SOURCE },
    },
    devices: { keys: ['config.DISTRIBUTED.NUM_PROC_PER_NODE'], read: count },
    nodes: {
      keys: ['config.DISTRIBUTED.NUM_NODES'],
      read: count,
      absent: { value: 1, source: `${SOURCE} L1541` },
    },
    accelerator: {
      keys: ['config.MACHINE.DEVICE'],
      read: value => (value === 'gpu' ? { ok: 'cuda' } : word(value)),
      absent: { value: 'cuda', source: SOURCE },
    },
    numWorkers: { keys: ['config.DATA.NUM_DATALOADER_WORKERS'], read: countOrNone },
  },
  details: { autocast: autocastByPrecision },
  launch: [
    {
      argv: ['python', 'tools/run_distributed_engines.py', 'config={config}'],
      source: 'VISSL GETTING_STARTED.md; keys follow as config.DATA.TRAIN.BATCHSIZE_PER_REPLICA=32',
    },
  ],
  logs: [visslForm],
  help: {
    'config.DATA.TRAIN.BATCHSIZE_PER_REPLICA': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    'config.DISTRIBUTED.NUM_PROC_PER_NODE': { text: 'GPUs of a node.' },
    'config.DISTRIBUTED.NUM_NODES': { text: 'Nodes.', byDefault: '1' },
    'config.MODEL.AMP_PARAMS.USE_AMP': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'config.MODEL.ACTIVATION_CHECKPOINTING.USE_ACTIVATION_CHECKPOINTING': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
  },
};
