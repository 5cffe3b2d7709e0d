import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, items, noAccumulation, onCuda, pixels, rawRow, wholeModel } from './shared/vision';

const SOURCE = 'lib/config/default.py';

/** HRNet and the pose projects on it; sources are files of leoxiaobin/deep-high-resolution-net.pytorch 6f69e46. */
export const yacsHrnet: Dialect = {
  id: 'yacs-hrnet',
  title: 'HRNet',
  role: 'run',
  framework: { name: 'hrnet', version: '6f69e46' },
  loader: 'pyyaml',
  signature: {
    strong: ['TRAIN.BATCH_SIZE_PER_GPU', 'GPUS'],
    medium: [
      'MODEL.HEATMAP_SIZE',
      'MODEL.IMAGE_SIZE',
      'TEST.BATCH_SIZE_PER_GPU',
      'MODEL.EXTRA.*',
      'WORKERS',
      'TRAIN.END_EPOCH',
    ],
    weak: ['CUDNN.*', 'DATASET.ROOT'],
    against: ['SOLVER.IMS_PER_BATCH', 'BATCH_SIZE_TOTAL'],
    least: 7,
  },
  quantities: {
    ...wholeModel('tools/train.py'),
    model: { keys: ['MODEL.NAME'], read: word },
    task: run =>
      run.has('MODEL.HEATMAP_SIZE') ? run.at('MODEL.HEATMAP_SIZE', 'pose') : run.unknown('No key says it.'),
    microBatchSize: {
      keys: ['TRAIN.BATCH_SIZE_PER_GPU'],
      read: count,
      absent: { value: 32, source: SOURCE },
    },
    gradAccum: noAccumulation('lib/core/function.py'),
    evalBatchSize: {
      keys: ['TEST.BATCH_SIZE_PER_GPU'],
      read: count,
      absent: { value: 32, source: SOURCE },
    },
    imageSize: {
      keys: ['MODEL.IMAGE_SIZE', 'TRAIN.IMAGE_SIZE'],
      read: pixels('wh'),
      absent: { value: [256, 256], source: SOURCE },
    },
    precision: ampRow('AMP.ENABLED', false, 'tools/train.py: fp32'),
    precisionRaw: rawRow('AMP.ENABLED'),
    optimizer: { keys: ['TRAIN.OPTIMIZER'], read: word, absent: { value: 'adam', source: SOURCE } },
    devices: run => {
      const listed = items(run.value('GPUS'));
      if (listed === null) return run.unknown('GPUS lists no devices.');
      return run.at('GPUS', listed.length);
    },
    nodes: run =>
      run.has('GPUS') ? run.byCode(1, 'tools/train.py: one process') : run.unknown('GPUS is not set.'),
    strategy: run =>
      run.has('GPUS')
        ? run.byCode('DataParallel', 'tools/train.py L115')
        : run.unknown('Without GPUS the launcher decides.'),
    accelerator: onCuda('tools/train.py: .cuda()'),
    numWorkers: { keys: ['WORKERS'], read: countOrNone, absent: { value: 4, source: SOURCE } },
  },
  details: { autocast: autocastByPrecision },
  launch: [
    {
      argv: ['python', 'tools/train.py', '--cfg', '{config}'],
      source: 'HRNet README.md; GPUs are those of the key GPUS, in one process',
    },
  ],
  logs: [
    {
      pattern: String.raw`Epoch: \[(?<epoch>\d+)\]\[(?<step>\d+)/(?<steps>\d+)\]\s+Time (?<secondsPerStep>[\d.]+)s .*?Speed (?<samplesPerSecond>[\d.]+) samples/s.*?Loss (?<loss>[\d.]+)`,
      fields: ['epoch', 'step', 'steps', 'secondsPerStep', 'samplesPerSecond', 'loss'],
      example:
        'Epoch: [0][0/1171]	Time 9.912s (9.912s)	Speed 12.9 samples/s	Data 4.213s (4.213s)	Loss 0.00212 (0.00212)	Accuracy 0.012 (0.012)',
      source: 'lib/core/function.py',
    },
  ],
  help: {
    'TRAIN.BATCH_SIZE_PER_GPU': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
      byDefault: '32',
    },
    'TEST.BATCH_SIZE_PER_GPU': { text: 'Images of one pass of testing on each GPU.' },
    GPUS: { text: 'Indices of the GPUs of DataParallel, as a tuple: the first one has the outputs of all.' },
    'MODEL.IMAGE_SIZE': { text: 'Width and height of the input.' },
    WORKERS: { text: 'Processes that load data, on the host only.' },
  },
};
