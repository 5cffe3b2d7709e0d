import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { count, countOrNone, flag, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, madeFor, noAccumulation, onCuda, pixels, rawRow, wholeModel } from './shared/vision';

const SOURCE = 'slowfast/config/defaults.py';

/** SlowFast and MViT; sources are files of facebookresearch/SlowFast 287ec00. A batch is that of one machine. */
export const yacsSlowfast: Dialect = {
  id: 'yacs-slowfast',
  title: 'SlowFast',
  role: 'run',
  framework: { name: 'slowfast', version: '287ec00' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'NUM_SHARDS',
      'DATA.NUM_FRAMES',
      'DATA.TRAIN_CROP_SIZE',
      'TRAIN.CHECKPOINT_FILE_PATH',
      'SLOWFAST.*',
    ],
    medium: [
      'TRAIN.BATCH_SIZE',
      'TEST.BATCH_SIZE',
      'NUM_GPUS',
      'BN.NUM_BATCHES_PRECISE',
      'RESNET.*',
      'MVIT.*',
      'DATA_LOADER.NUM_WORKERS',
    ],
    weak: ['SOLVER.OPTIMIZING_METHOD', 'RNG_SEED'],
    against: ['SOLVER.IMS_PER_BATCH'],
    least: 6,
  },
  quantities: {
    ...wholeModel('tools/train_net.py'),
    model: { keys: ['MODEL.ARCH', 'MODEL.MODEL_NAME'], read: word },
    task: madeFor('video_classification', 'tools/train_net.py'),
    microBatchSize: run => {
      const batch = run.count('TRAIN.BATCH_SIZE') ?? 64;
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return run.unknown('NUM_GPUS is not known.');
      return run.derived(
        Math.max(1, Math.floor(batch / Math.max(gpus, 1))),
        ['TRAIN.BATCH_SIZE', 'devices'],
        `${batch} a machine ÷ ${gpus} GPUs`,
      );
    },
    gradAccum: noAccumulation('tools/train_net.py'),
    evalBatchSize: run => {
      const batch = run.count('TEST.BATCH_SIZE') ?? 8;
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return run.unknown('NUM_GPUS is not known.');
      const share = Math.max(1, Math.floor(batch / Math.max(gpus, 1)));
      return run.derived(share, ['TEST.BATCH_SIZE', 'devices'], `${batch} a machine ÷ ${gpus} GPUs`);
    },
    imageSize: {
      keys: ['DATA.TRAIN_CROP_SIZE'],
      read: pixels('hw'),
      absent: { value: [224, 224], source: SOURCE },
    },
    precision: ampRow('TRAIN.MIXED_PRECISION', false, SOURCE),
    precisionRaw: rawRow('TRAIN.MIXED_PRECISION'),
    optimizer: { keys: ['SOLVER.OPTIMIZING_METHOD'], read: word, absent: { value: 'sgd', source: SOURCE } },
    gradientCheckpointing: {
      keys: ['MODEL.ACT_CHECKPOINT'],
      read: flag,
      absent: { value: false, source: SOURCE },
    },
    devices: { keys: ['NUM_GPUS'], read: countOrNone, absent: { value: 1, source: SOURCE } },
    nodes: { keys: ['NUM_SHARDS'], read: count, absent: { value: 1, source: SOURCE } },
    accelerator: onCuda('tools/run_net.py'),
    numWorkers: {
      keys: ['DATA_LOADER.NUM_WORKERS'],
      read: countOrNone,
      absent: { value: 8, source: SOURCE },
    },
  },
  details: {
    autocast: autocastByPrecision,
    frames: run => {
      const frames = run.count('DATA.NUM_FRAMES');
      return frames === null ? run.byDefault(8, SOURCE) : run.at('DATA.NUM_FRAMES', frames);
    },
  },
  writers: {
    microBatchSize: (to, run) => {
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return { ok: false, why: 'NUM_GPUS is not known.' };
      return { ok: true, writes: [{ key: 'TRAIN.BATCH_SIZE', value: to * Math.max(gpus, 1) }] };
    },
  },
  compose: withBases({ keys: ['_BASE_'] }),
  launch: [
    {
      argv: ['python', 'tools/run_net.py', '--cfg', '{config}', 'NUM_GPUS', '{gpus}'],
      source: 'SlowFast GETTING_STARTED.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`"gpu_mem": "(?<allocatedGiB>[\d.]+)G", "iter": "(?<step>\d+)/(?<steps>\d+)", "loss": (?<loss>[\d.]+), "lr": (?<learningRate>[\d.e-]+)`,
      fields: ['allocatedGiB', 'step', 'steps', 'loss', 'learningRate'],
      example:
        'json_stats: {"_type": "train_iter", "epoch": "1/196", "dt": 0.31, "eta": "1:02:03", "gpu_mem": "7.32G", "iter": "10/1500", "loss": 5.98, "lr": 0.01}',
      source: 'slowfast/utils/misc.py, gpu_mem_usage: max_memory_allocated in GiB',
    },
  ],
  help: {
    'TRAIN.BATCH_SIZE': {
      text: 'Clips of one machine: each GPU takes its share of `NUM_GPUS`.',
      byDefault: '64',
    },
    NUM_GPUS: { text: 'GPUs of a machine.', byDefault: '1' },
    NUM_SHARDS: { text: 'Machines.', byDefault: '1' },
    'TRAIN.MIXED_PRECISION': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'MODEL.ACT_CHECKPOINT': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'DATA.NUM_FRAMES': { text: 'Frames of a clip: activations grow with it in proportion.' },
    'DATA.TRAIN_CROP_SIZE': { text: 'Side of a frame.', byDefault: '224' },
    'DATA_LOADER.NUM_WORKERS': { text: 'Processes of each GPU that load data, on the host only.' },
  },
};
