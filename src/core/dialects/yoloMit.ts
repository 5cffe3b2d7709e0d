import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import { count, countOrNone, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision, lightningDevices } from './shared/lightning';
import { averagedBy, madeFor, pixels, wholeModel } from './shared/vision';
import { lightningLogs } from './shared/lightningLogs';

const SOURCE = 'yolo/config/general.yaml';

/** The batch that an optimizer step stands for, and the key that says it. */
function equivalent(run: RunReader): { readonly count: number | null; readonly key: string } {
  const keys = ['data', 'task.data'].map(at => `${at}.equivalent_batch_size`);
  const key = keys.find(one => run.has(one)) ?? '';
  return { count: key === '' ? null : run.count(key), key };
}

/** yolo/utils/model_utils.py L71: gathered up to the equivalent batch, over all processes. */
function gradAccum(run: RunReader): Quantity<number> {
  const micro = run.get('microBatchSize').value;
  const { count: wanted } = equivalent(run);
  if (micro === null || wanted === null) {
    return run.unknown('equivalent_batch_size or batch_size is not set.');
  }
  const gpus = run.get('gpus').value ?? 1;
  const steps = Math.max(1, Math.round(wanted / (micro * gpus)));
  return run.derived(steps, ['microBatchSize', 'gpus'], `${wanted} ÷ (${micro} × ${gpus} GPUs), rounded`);
}

/** MultimediaTechLab/YOLO c4cb5f6. */
export const yoloMit: Dialect = {
  id: 'yolo-mit',
  title: 'YOLO (MultimediaTechLab)',
  role: 'run',
  framework: { name: 'yolo', version: 'c4cb5f6' },
  loader: 'omegaconf',
  signature: {
    strong: ['data.equivalent_batch_size', 'lucky_number', 'cpu_num', 'nms.min_confidence'],
    medium: [
      'data.cpu_num',
      'data.data_augment.*',
      'task~^(train|inference|validation)$',
      'ema.*',
      'image_size',
    ],
    weak: ['optimizer.type', 'accelerator'],
    against: ['imgsz'],
    needs: ['data.batch_size', 'task.data.batch_size'],
    least: 5,
  },
  quantities: {
    ...wholeModel('yolo/lazy.py'),
    model: { keys: ['model.name', 'model'], read: word },
    task: madeFor('object_detection', 'yolo/tasks/solver.py'),
    microBatchSize: {
      keys: ['data.batch_size', 'task.data.batch_size'],
      read: count,
      absent: { value: 16, source: 'yolo/config/task/train.yaml' },
    },
    gradAccum,
    effectiveBatch: run => {
      const { count: wanted, key } = equivalent(run);
      return wanted === null
        ? run.unknown('equivalent_batch_size is not set.')
        : run.derived(wanted, [key], 'batches are gathered up to it, over all processes');
    },
    imageSize: {
      keys: ['data.image_size', 'image_size'],
      read: pixels('wh'),
      absent: { value: [640, 640], source: SOURCE },
    },
    precision: run => run.byCode('fp16-mixed', 'yolo/lazy.py L23: 16-mixed'),
    optimizer: { keys: ['optimizer.type', 'task.optimizer.type'], read: word },
    devices: { keys: ['device'], read: lightningDevices, absent: { value: 'auto', source: SOURCE } },
    accelerator: { keys: ['accelerator'], read: word, absent: { value: 'auto', source: SOURCE } },
    numWorkers: {
      keys: ['data.cpu_num', 'cpu_num'],
      read: countOrNone,
      absent: { value: 16, source: SOURCE },
    },
  },
  details: { autocast: autocastByPrecision, averagedWeights: averagedBy('ema.enable', 'task.ema.enable') },
  compose: hydraTree,
  launch: [
    {
      argv: ['python', 'yolo/lazy.py', 'task=train'],
      source: 'YOLO README.md; keys follow as task.data.batch_size=8 device=[0,1]',
    },
  ],
  logs: lightningLogs,
  help: {
    'data.batch_size': { text: 'Images of one forward pass of each process.', byDefault: '16' },
    'task.data.batch_size': { text: 'Images of one forward pass of each process.', byDefault: '16' },
    'data.equivalent_batch_size': {
      text: 'Images of a step: batches are accumulated up to it, however many GPUs there are.',
      byDefault: '64',
    },
    image_size: { text: 'Width and height of images.' },
    device: { text: 'GPUs, by their number or indices.', byDefault: 'auto' },
    cpu_num: { text: 'Processes that load data, on the host only.' },
    'ema.enable': { text: 'A second copy of the weights on the GPU.', values: ['true', 'false'] },
  },
};
