import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  always,
  ampFlag,
  cuda,
  deviceList,
  effectiveOfMicro,
  plainTraining,
  rawFlag,
  unsaid,
  usually,
  workers,
} from './shared/toolkit';
import { wespeakerForm } from '../data/forms/trainers';

/** WeSpeaker's training configs; sources are files of wenet-e2e/wespeaker dfa7419. */
export const wespeaker: Dialect = {
  id: 'wespeaker',
  title: 'WeSpeaker',
  role: 'run',
  framework: { name: 'wespeaker', version: '1.2.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['dataloader_args.*', 'projection_args.*', 'margin_scheduler'],
    medium: ['dataset_args.*', 'enable_amp', 'gpus', 'model_args.*', 'scheduler_args.*', 'optimizer_args.*'],
    weak: ['exp_dir', 'num_epochs'],
    against: [],
    needs: ['dataloader_args.batch_size', 'model_args.*'],
    least: 6,
  },
  quantities: {
    ...plainTraining('wespeaker/bin/train.py'),
    model: { keys: ['model'], read: word },
    task: always('speaker_verification', 'wespeaker/bin/train.py'),
    microBatchSize: { keys: ['dataloader_args.batch_size'], read: count },
    effectiveBatch: effectiveOfMicro,
    gradAccum: usually(1, 'wespeaker/utils/executor.py steps after each batch'),
    seqLen: { keys: ['dataset_args.num_frms'], read: count, unit: 'frames' },
    precision: ampFlag('enable_amp', 'wespeaker/bin/train.py: enable_amp is False'),
    precisionRaw: rawFlag('enable_amp'),
    optimizer: { keys: ['optimizer'], read: word },
    gradientCheckpointing: unsaid('WeSpeaker has no key for it.'),
    accelerator: cuda('wespeaker/bin/train.py: torch.device("cuda")'),
    // bin/train.py L52: the local rank picks the GPU of this list.
    devices: { keys: ['gpus'], read: deviceList },
    nodes: usually(1, 'wespeaker/bin/train.py: GPUs of one machine'),
    strategy: always('ddp', 'wespeaker/bin/train.py: DistributedDataParallel'),
    numWorkers: workers(['dataloader_args.num_workers']),
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--standalone',
        '--nnodes=1',
        '--nproc_per_node={gpus}',
        'wespeaker/bin/train.py',
        '--config',
        '{config}',
      ],
      source: 'examples/voxceleb/v2/run.sh',
    },
  ],
  logs: [wespeakerForm],
  help: {
    'dataloader_args.batch_size': { text: 'Crops of one GPU: every one of them is `num_frms` frames long.' },
    'dataset_args.num_frms': { text: 'Frames of a crop: activations grow with it in proportion.' },
    enable_amp: { text: 'Autocast in fp16.', values: ['True', 'False'], byDefault: 'False' },
    gpus: { text: 'Indices of the GPUs, as text: `"[0,1]"`. torchrun has to start as many processes.' },
    'dataloader_args.num_workers': { text: 'Processes that load data for each GPU, on the host only.' },
    'model_args.embed_dim': { text: 'Width of the embedding.' },
  },
};
