import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, rawRow, shareOf, wholeModel, writesGlobal } from './shared/vision';

const SOURCE = 'mmf/configs/defaults.yaml';

/** MMF; sources are lines of facebookresearch/mmf b0ffc7f. */
export const mmf: Dialect = {
  id: 'mmf',
  title: 'MMF',
  role: 'run',
  framework: { name: 'mmf', version: '1.0.0' },
  loader: 'omegaconf',
  signature: {
    strong: ['training.batch_size_per_device', 'dataset_config.*', 'model_config.*'],
    medium: [
      'training.update_frequency',
      'training.max_updates',
      'evaluation.*',
      'training.early_stop.*',
      'scheduler.type',
      'optimizer.type',
    ],
    weak: ['training.batch_size', 'checkpoint.*'],
    against: ['defaults[]'],
    least: 6,
  },
  quantities: {
    ...wholeModel('mmf/trainers/mmf_trainer.py'),
    model: { keys: ['model'], read: word },
    // utils/general.py L285-308: batch_size is for all GPUs, batch_size_per_device overrides it.
    globalBatchSize: run => {
      if (run.has('training.batch_size_per_device')) {
        return run.unknown('training.batch_size_per_device is set.');
      }
      const total = run.count('training.batch_size');
      return total === null ? run.byDefault(512, `${SOURCE} L77`) : run.at('training.batch_size', total);
    },
    microBatchSize: run => {
      const each = run.count('training.batch_size_per_device');
      return each === null ? shareOf(run) : run.at('training.batch_size_per_device', each);
    },
    gradAccum: {
      keys: ['training.update_frequency'],
      read: count,
      absent: { value: 1, source: `${SOURCE} L80` },
      near: ['training.batch_size'],
    },
    effectiveBatch: run => {
      const total = run.get('globalBatchSize').value;
      const steps = run.get('gradAccum').value ?? 1;
      return total === null
        ? run.unknown('The number of GPUs is not in the files.')
        : run.derived(total * steps, ['globalBatchSize', 'gradAccum'], `${total} × ${steps}`);
    },
    precision: ampRow('training.fp16', false, SOURCE),
    precisionRaw: rawRow('training.fp16'),
    optimizer: { keys: ['optimizer.type'], read: word },
    accelerator: { keys: ['training.device'], read: word, absent: { value: 'cuda', source: SOURCE } },
    numWorkers: { keys: ['training.num_workers'], read: countOrNone, absent: { value: 4, source: SOURCE } },
  },
  details: { autocast: autocastByPrecision },
  writers: writesGlobal('training.batch_size'),
  launch: [
    {
      argv: ['mmf_run', 'config={config}'],
      source: 'MMF docs; keys follow as training.batch_size=32, distributed.world_size={gpus}',
    },
  ],
  logs: [
    {
      pattern: String.raw`"progress":\s*"(?<step>\d+)/(?<steps>\d+)".*?"train/total_loss":\s*"?(?<loss>[\d.]+)"?.*?"max mem":\s*"(?<allocatedMiB>[\d.]+)".*?"lr":\s*"?(?<learningRate>[\d.e-]+)`,
      fields: ['step', 'steps', 'loss', 'allocatedMiB', 'learningRate'],
      example:
        '{"progress":"100/22000", "train/total_loss": 2.5, "max mem": "7456.0", "experiment": "run", "epoch":1, "num_updates":100, "lr": 0.00005, "ups": "1.2"}',
      source: 'mmf/trainers/callbacks/logistics.py L76: MiB',
    },
  ],
  help: {
    'training.batch_size': {
      text: 'Images of one step over all GPUs together; each takes its share.',
      byDefault: '512',
    },
    'training.batch_size_per_device': { text: 'Images on each GPU: it overrides `training.batch_size`.' },
    'training.update_frequency': { text: 'Batches added up before a step.', byDefault: '1' },
    'training.fp16': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['True', 'False'],
      byDefault: 'false',
    },
    'training.num_workers': { text: 'Processes that load data, on the host only.' },
  },
};
