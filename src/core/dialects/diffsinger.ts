import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { withBases } from './engine/bases';
import { count, word } from './engine/readers';
import { lightningDevices, lightningPrecision } from './shared/lightning';
import { accumulation, counted, effectiveOfMicro, plainTraining, workers } from './shared/toolkit';
import { lightningLogs } from './shared/lightningLogs';

const BASE = 'configs/base.yaml';

function task(run: RunReader): Quantity<string> {
  const name = run.word('task_cls');
  if (name === null) return run.byCode('singing_synthesis', 'DiffSinger synthesises singing');
  return run.at('task_cls', /variance/i.test(name) ? 'singing_variance' : 'singing_synthesis');
}

/** DiffSinger's configs; sources are files of openvpi/DiffSinger 753b7cc. */
export const diffsinger: Dialect = {
  id: 'diffsinger',
  title: 'DiffSinger',
  role: 'run',
  framework: { name: 'diffsinger', version: '2.5' },
  loader: 'pyyaml',
  signature: {
    strong: ['max_batch_frames', 'pl_trainer_devices', 'pl_trainer_precision'],
    medium: [
      'base_config',
      'base_config[]',
      'audio_sample_rate',
      'task_cls',
      'binarizer_cls',
      'max_val_batch_frames',
    ],
    weak: ['hop_size', 'num_ckpt_keep', 'max_batch_size'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['max_batch_frames', 'max_batch_size', 'pl_trainer_devices', 'pl_trainer_precision'],
    least: 5,
  },
  compose: withBases({ keys: ['base_config'] }),
  quantities: {
    ...plainTraining('basics/base_task.py'),
    model: { keys: ['backbone_type', 'diff_decoder_type'], read: word },
    task,
    microBatchSize: run =>
      counted(run, 'max_batch_frames', 'frames') ??
      run.unknown('max_batch_frames is not set here or beneath.'),
    evalBatchSize: run =>
      counted(run, 'max_val_batch_frames', 'frames') ??
      run.unknown('max_val_batch_frames is not set here or beneath.'),
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('accumulate_grad_batches', `${BASE}: accumulate_grad_batches is 1`),
    precision: {
      keys: ['pl_trainer_precision'],
      read: lightningPrecision,
      absent: { value: 'fp16-mixed', source: BASE },
    },
    precisionRaw: { keys: ['pl_trainer_precision'], read: word },
    optimizer: { keys: ['optimizer_args.optimizer_cls'], read: word },
    accelerator: { keys: ['pl_trainer_accelerator'], read: word, absent: { value: 'auto', source: BASE } },
    devices: {
      keys: ['pl_trainer_devices'],
      read: lightningDevices,
      absent: { value: 'auto', source: BASE },
    },
    nodes: { keys: ['pl_trainer_num_nodes'], read: count, absent: { value: 1, source: BASE } },
    strategy: {
      keys: ['pl_trainer_strategy.name', 'pl_trainer_strategy'],
      read: word,
      absent: { value: 'auto', source: BASE },
    },
    numWorkers: workers(['ds_workers'], 4, BASE),
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'Lightning autocasts',
      ),
    paddedRows: run => run.byCode(true, 'utils: collate_nd pads'),
  },
  launch: [
    {
      argv: ['python', 'scripts/train.py', '--config', '{config}', '--exp_name', 'NAME', '--reset'],
      source: 'README.md',
    },
  ],
  logs: lightningLogs,
  help: {
    max_batch_frames: {
      text: 'Most mel frames in a batch on each GPU, padding included: this decides the memory.',
    },
    max_batch_size: { text: 'Most samples in a batch, whatever their length.' },
    max_val_batch_frames: { text: 'Most mel frames in a batch of validation.' },
    accumulate_grad_batches: { text: 'Batches whose gradients are added up before a step.', byDefault: '1' },
    pl_trainer_precision: {
      text: 'Lightning’s precision.',
      values: ['32-true', 'bf16-mixed', '16-mixed'],
      byDefault: '16-mixed',
    },
    pl_trainer_devices: { text: 'GPUs of a node, as Lightning takes them.', byDefault: 'auto' },
    ds_workers: { text: 'Processes that load data, on the host only.' },
    hidden_size: { text: 'Width of the encoder.' },
    'backbone_args.num_channels': { text: 'Width of the backbone: weights grow with its square.' },
  },
};
