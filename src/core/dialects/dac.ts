import type { Dialect } from './dialect';
import { count } from './engine/readers';
import {
  always,
  ampFlag,
  cuda,
  effectiveOfShared,
  plainTraining,
  rawFlag,
  shareOfBatch,
  unsaid,
  usually,
  workers,
} from './shared/toolkit';

/** Descript's audio codec, whose keys are argbind's with dots in them; sources are files of descriptinc/descript-audio-codec c7cfc5d. */
export const dac: Dialect = {
  id: 'dac',
  title: 'Descript Audio Codec',
  role: 'run',
  framework: { name: 'descript-audio-codec', version: '1.0.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['DAC\\.sample_rate', 'AdamW\\.lr'],
    medium: [
      'Discriminator\\.sample_rate',
      'DAC\\.n_codebooks',
      'train/AudioDataset\\.duration',
      'DAC\\.encoder_rates',
    ],
    weak: ['batch_size', 'amp', 'num_iters', 'val_batch_size'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['batch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining('scripts/train.py'),
    model: always('DAC', 'scripts/train.py: dac.model.DAC'),
    task: always('audio_codec', 'scripts/train.py'),
    // audiotools' Accelerator.prepare_dataloader: max(batch_size // world_size, 1), and so with the workers.
    globalBatchSize: { keys: ['batch_size'], read: count },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    gradAccum: usually(1, 'scripts/train.py steps after each batch'),
    precision: ampFlag('amp', 'scripts/train.py: amp is False'),
    precisionRaw: rawFlag('amp'),
    optimizer: always(
      'AdamW',
      'scripts/train.py: torch.optim.AdamW, one each for generator and discriminator',
    ),
    evalBatchSize: run => {
      const total = run.count('val_batch_size');
      return total === null
        ? run.unknown('val_batch_size is not set.')
        : run.unknown(`${total} over all GPUs, whose number is not in the files.`);
    },
    accelerator: cuda('conf/base.yml: device is cuda'),
    devices: unsaid('torchrun says how many processes there are.'),
    numWorkers: workers(['num_workers']),
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'batch_size counts what all GPUs share.' }) },
  launch: [
    {
      argv: ['torchrun', '--nproc_per_node', '{gpus}', 'scripts/train.py', '--args.load', '{config}'],
      source: 'README.md',
    },
  ],
  help: {
    batch_size: { text: 'Crops of all GPUs together: each takes its share.' },
    amp: { text: 'Autocast in fp16.', values: ['true', 'false'], byDefault: 'false' },
    num_workers: { text: 'Processes that load data, of all GPUs together, on the host only.' },
    val_batch_size: { text: 'Crops of a batch of validation, of all GPUs together.' },
  },
};
