import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import { accumulation, cuda, effectiveOfMicro, plainTraining, unsaid, workers } from './shared/toolkit';
import { speechbrainHelp } from './speechbrain/help';
import {
  evalBatch,
  freezes,
  microBatch,
  model,
  optimizer,
  precision,
  precisionRaw,
  task,
} from './speechbrain/rules';
import { speechbrainLaunch, speechbrainLogs } from './speechbrain/output';
import { speechbrainWriters } from './speechbrain/writers';

/** SpeechBrain's hyperparameter files; sources are files of speechbrain/speechbrain 9c826ef (1.0). */
export const speechbrain: Dialect = {
  id: 'speechbrain',
  title: 'SpeechBrain',
  role: 'run',
  framework: { name: 'speechbrain', version: '1.0.3' },
  loader: 'hyperpyyaml',
  signature: {
    strong: [
      '__set_seed',
      'train_dataloader_opts.*',
      'train_logger',
      'dynamic_batch_sampler_train.*',
      'dataloader_options.*',
    ],
    medium: [
      'save_folder',
      'number_of_epochs',
      'output_folder',
      'train_log',
      'epoch_counter',
      'grad_accumulation_factor',
      'dynamic_batching',
      'modules.*',
      'checkpointer',
      'auto_mix_prec',
      'sample_rate',
    ],
    weak: ['batch_size', 'precision', 'ckpt_interval_minutes', 'seed'],
    against: ['trainer.*', 'encoder_conf.*', 'train_conf.*'],
    needs: [
      'batch_size',
      'dynamic_batching',
      'train_dataloader_opts.*',
      'dataloader_options.*',
      'number_of_epochs',
    ],
    least: 6,
  },
  quantities: {
    ...plainTraining('speechbrain/core.py: Brain trains what is in modules'),
    model,
    task,
    method: freezes,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    gradAccum: {
      ...accumulation('grad_accumulation_factor', 'speechbrain/core.py: grad_accumulation_factor is 1'),
      keys: ['grad_accumulation_factor', 'gradient_accumulation'],
      near: ['batch_size'],
    },
    precision,
    precisionRaw,
    optimizer,
    gradientCheckpointing: { keys: ['gradient_checkpointing'], read: flag },
    seqLen: unsaid('Rows are as long as the recordings are.'),
    accelerator: cuda('speechbrain/core.py: --device is cuda:0'),
    devices: {
      keys: [],
      read: count,
      absent: run => run.unknown('torchrun says how many processes there are.'),
    },
    numWorkers: workers([
      'num_workers',
      'train_dataloader_opts.num_workers',
      'dataloader_opts.num_workers',
      'dataloader_options.num_workers',
    ]),
    compile: {
      keys: ['compile'],
      read: flag,
      absent: { value: false, source: 'speechbrain/core.py: --compile' },
    },
    strategy: { keys: ['distributed_backend'], read: word },
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'torch.autocast in fit_batch',
      ),
    paddedRows: run => run.byCode(true, 'speechbrain/dataio/batch.py: PaddedBatch'),
  },
  writers: speechbrainWriters,
  launch: speechbrainLaunch,
  logs: speechbrainLogs,
  help: speechbrainHelp,
};
