import type { Dialect } from './dialect';
import { flag, word } from './engine/readers';
import {
  accumulation,
  always,
  counted,
  cuda,
  effectiveOfMicro,
  plainTraining,
  unsaid,
  workers,
} from './shared/toolkit';

const TRAINER = 'src/f5_tts/model/trainer.py';

/** F5-TTS' Hydra configs; sources are files of SWivid/F5-TTS 2ae2c9b. */
export const f5Tts: Dialect = {
  id: 'f5-tts',
  title: 'F5-TTS',
  role: 'run',
  framework: { name: 'f5-tts', version: '1.1.7' },
  loader: 'omegaconf',
  signature: {
    strong: ['datasets.batch_size_per_gpu', 'datasets.batch_size_type'],
    medium: [
      'optim.grad_accumulation_steps',
      'model.mel_spec.*',
      'optim.bnb_optimizer',
      'model.arch.*',
      'ckpts.save_per_updates',
    ],
    weak: ['datasets.max_samples', 'model.tokenizer'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['datasets.batch_size_per_gpu'],
    least: 5,
  },
  quantities: {
    ...plainTraining(TRAINER),
    model: { keys: ['model.backbone'], read: word },
    task: always('tts', TRAINER),
    microBatchSize: run => {
      const key = 'datasets.batch_size_per_gpu';
      const unit = (run.word('datasets.batch_size_type') ?? 'sample') === 'frame' ? 'mel frames' : 'samples';
      return counted(run, key, unit) ?? run.unknown(`${key} is not set.`);
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('optim.grad_accumulation_steps', `${TRAINER}: grad_accumulation_steps is 1`),
    precision: unsaid('accelerate’s config or its command line decides it.'),
    optimizer: run =>
      run.flag('optim.bnb_optimizer')
        ? run.at('optim.bnb_optimizer', 'bitsandbytes.optim.AdamW8bit')
        : run.byDefault('AdamW', `${TRAINER}: AdamW unless bnb_optimizer`),
    gradientCheckpointing: {
      keys: ['model.arch.checkpoint_activations'],
      read: flag,
      absent: { value: false, source: 'src/f5_tts/model/backbones/dit.py: checkpoint_activations' },
    },
    accelerator: cuda(`${TRAINER}: accelerate`),
    devices: unsaid('accelerate launch says how many processes there are.'),
    numWorkers: workers(['datasets.num_workers']),
    attention: { keys: ['model.arch.attn_backend'], read: word },
  },
  details: { paddedRows: run => run.byCode(true, 'src/f5_tts/model/dataset.py: collate_fn pads') },
  launch: [
    {
      argv: [
        'accelerate',
        'launch',
        '--num_processes',
        '{gpus}',
        'src/f5_tts/train/train.py',
        '--config-name',
        '{name}',
      ],
      source: 'src/f5_tts/train/README.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`Epoch (?<epoch>\d+)/(?<epochs>\d+):\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[[^,]*, +(?<stepsPerSecond>[\d.]+)update/s, loss=(?<loss>[\d.e+-]+)`,
      bar: true,
      fields: ['epoch', 'epochs', 'percent', 'step', 'steps', 'stepsPerSecond', 'loss'],
      example: 'Epoch 1/11:   2%|▏ | 100/5000 [00:50<40:00,  2.0update/s, loss=0.7, update=100]',
      source: `${TRAINER}: tqdm`,
    },
  ],
  help: {
    'datasets.batch_size_per_gpu': {
      text: 'Of each GPU, in the unit of `batch_size_type`: mel frames or samples. Activations grow with it in proportion.',
    },
    'datasets.batch_size_type': {
      text: 'Whether a batch counts mel frames or samples.',
      values: ['frame', 'sample'],
      byDefault: 'sample',
    },
    'datasets.max_samples': { text: 'Most samples in a batch that counts frames.' },
    'optim.grad_accumulation_steps': {
      text: 'Batches whose gradients are added up before a step.',
      byDefault: '1',
    },
    'optim.bnb_optimizer': {
      text: '8-bit AdamW: two bytes of states a parameter in place of eight.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'model.arch.checkpoint_activations': {
      text: 'Computes the blocks again in backward in place of keeping their activations.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    'model.arch.depth': { text: 'Blocks of the backbone. An EMA copy of all weights is kept beside them.' },
    'model.arch.attn_backend': {
      text: 'Kernel of attention.',
      values: ['torch', 'flash_attn'],
      byDefault: 'torch',
    },
  },
};
