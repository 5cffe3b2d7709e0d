import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, countOrNone, flag, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, madeFor, noAccumulation, rawRow, wholeModel } from './shared/vision';
import type { Size } from './shared/vision';

/** The largest of the sizes that batches are resized to; Paddle names the step BatchRandomResize. */
function imageSize(run: RunReader): Quantity<Size> {
  const key = 'TrainReader.batch_transforms';
  const steps = run.value(key);
  for (const step of Array.isArray(steps) ? (steps as readonly unknown[]) : []) {
    if (typeof step !== 'object' || step === null || !('BatchRandomResize' in step)) continue;
    const settings = step.BatchRandomResize;
    const target =
      typeof settings === 'object' && settings !== null && 'target_size' in settings
        ? settings.target_size
        : null;
    const sides = (Array.isArray(target) ? (target as readonly unknown[]) : [target]).map(Number);
    const largest = Math.max(...sides);
    if (largest > 0) return run.at(key, [largest, largest], 'the largest of the sizes that are drawn');
  }
  const height = run.count('eval_height');
  const width = run.count('eval_width');
  if (height !== null && width !== null) return run.at(['eval_width', 'eval_height'], [width, height]);
  return run.unknown('No BatchRandomResize says the size.');
}

/** PaddleDetection; sources are files of PaddlePaddle/PaddleDetection 666f597. */
export const paddledet: Dialect = {
  id: 'paddledet',
  title: 'PaddleDetection',
  role: 'run',
  framework: { name: 'paddledetection', version: '2.8.0' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'TrainReader.*',
      'EvalReader.*',
      'TestReader.*',
      'snapshot_epoch',
      'LearningRate.*',
      'OptimizerBuilder.*',
    ],
    medium: [
      '_BASE_',
      'worker_num',
      'log_iter',
      'use_gpu',
      'pretrain_weights',
      'TrainDataset.*',
      'metric~COCO',
      'architecture',
    ],
    weak: ['weights', 'epoch', 'find_unused_parameters'],
    against: ['MODEL.*', 'SOLVER.*', '__include__'],
    least: 5,
  },
  quantities: {
    ...wholeModel('ppdet/engine/trainer.py'),
    model: { keys: ['architecture'], read: word },
    task: madeFor('object_detection', 'tools/train.py'),
    microBatchSize: {
      keys: ['TrainReader.batch_size'],
      read: count,
      absent: { value: 1, source: 'ppdet/data/reader.py: batch_size' },
    },
    evalBatchSize: {
      keys: ['EvalReader.batch_size'],
      read: count,
      absent: { value: 1, source: 'ppdet/data/reader.py: batch_size' },
    },
    gradAccum: noAccumulation('ppdet/engine/trainer.py: every batch is a step'),
    imageSize,
    precision: ampRow('use_amp', false, 'tools/train.py: --amp'),
    precisionRaw: rawRow('use_amp'),
    optimizer: {
      keys: ['OptimizerBuilder.optimizer.type'],
      read: word,
      absent: { value: 'Momentum', source: 'ppdet/optimizer/optimizer.py' },
    },
    gradientCheckpointing: { keys: ['use_checkpoint', 'VisionTransformer.use_checkpoint'], read: flag },
    accelerator: run => {
      const gpu = run.flag('use_gpu');
      return gpu === null
        ? run.byDefault('cuda', 'configs/runtime.yml')
        : run.at('use_gpu', gpu ? 'cuda' : 'cpu');
    },
    numWorkers: { keys: ['TrainReader.worker_num', 'worker_num'], read: countOrNone },
  },
  details: { autocast: autocastByPrecision },
  compose: withBases({ keys: ['_BASE_'] }),
  launch: [
    {
      argv: [
        'python',
        '-m',
        'paddle.distributed.launch',
        '--gpus',
        '0,1,2,3,4,5,6,7',
        'tools/train.py',
        '-c',
        '{config}',
        '--amp',
        '--eval',
      ],
      source: 'PaddleDetection docs/tutorials/GETTING_STARTED.md; keys follow as -o TrainReader.batch_size=4',
    },
  ],
  logs: [
    {
      pattern: String.raw`Epoch: \[(?<epoch>\d+)\] \[\s*(?<step>\d+)/(?<steps>\d+)\] learning_rate: (?<learningRate>[\d.e-]+) .*?loss: (?<loss>[\d.]+) .*?batch_cost: (?<secondsPerStep>[\d.]+).*?ips: (?<samplesPerSecond>[\d.]+)`,
      fields: ['epoch', 'step', 'steps', 'learningRate', 'loss', 'secondsPerStep', 'samplesPerSecond'],
      example:
        '[05/01 12:00:00] ppdet.engine INFO: Epoch: [0] [  0/14658] learning_rate: 0.000000 loss: 3.110 loss_cls: 1.2 eta: 41 days, 1:00:00 batch_cost: 1.2300 data_cost: 0.0100 ips: 6.5000 images/s',
      source: 'ppdet/engine/callbacks.py, LogPrinter',
    },
  ],
  help: {
    'TrainReader.batch_size': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    'EvalReader.batch_size': { text: 'Images of one pass of evaluation on each card.' },
    worker_num: { text: 'Processes that load data for each card, on the host only.' },
    use_ema: { text: 'A second copy of the weights on the GPU.', values: ['true', 'false'] },
    norm_type: { text: '`sync_bn` shares statistics of batch norms among cards.' },
    'OptimizerBuilder.optimizer.type': { text: 'Momentum keeps one state a parameter, Adam and AdamW two.' },
  },
};
