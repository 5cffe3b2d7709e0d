import type { Dialect } from './dialect';
import { flag, word } from './engine/readers';
import {
  accumulation,
  evalBatch,
  gpus,
  longestSample,
  microBatch,
  offload,
  precision,
  precisionRaw,
  task,
} from './fairseq/rules';
import { count } from './engine/readers';
import { cuda, effectiveOfMicro, plainTraining, workers } from './shared/toolkit';

const CONFIGS = 'fairseq/dataclass/configs.py';

/** fairseq's Hydra configs; sources are files of facebookresearch/fairseq 3d262bb. */
export const fairseq: Dialect = {
  id: 'fairseq',
  title: 'fairseq',
  role: 'run',
  framework: { name: 'fairseq', version: '0.12.2' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'distributed_training.*',
      'optimization.max_update',
      'dataset.max_tokens',
      'task._name',
      'criterion._name',
    ],
    medium: [
      'model._name',
      'optimizer._name',
      'lr_scheduler._name',
      'common.fp16',
      'optimization.update_freq',
      'dataset.batch_size',
      'checkpoint.*',
    ],
    weak: ['common.*'],
    against: ['trainer.*'],
    needs: ['task._name', 'criterion._name', 'optimization.*'],
    least: 6,
  },
  quantities: {
    ...plainTraining('fairseq/trainer.py'),
    model: { keys: ['model._name'], read: word },
    task,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation,
    seqLen: longestSample,
    precision,
    precisionRaw,
    optimizer: { keys: ['optimizer._name'], read: word },
    gradientCheckpointing: {
      keys: ['model.checkpoint_activations'],
      read: flag,
      absent: { value: false, source: 'fairseq/models/transformer/transformer_config.py' },
    },
    offload,
    accelerator: cuda(`${CONFIGS}: common.cpu is False`),
    gpus,
    devices: { keys: ['distributed_training.nprocs_per_node'], read: count },
    strategy: {
      keys: ['distributed_training.ddp_backend'],
      read: word,
      absent: { value: 'pytorch_ddp', source: `${CONFIGS}: ddp_backend` },
    },
    numWorkers: workers(['dataset.num_workers'], 1, `${CONFIGS} L465`),
  },
  details: { paddedRows: run => run.byCode(true, 'fairseq/data: collate_tokens pads') },
  writers: {
    microBatchSize: (to, run) =>
      run.has('dataset.max_tokens')
        ? { ok: false, why: 'dataset.max_tokens fills the batches, in tokens or samples of the waveform.' }
        : { ok: true, writes: [{ key: 'dataset.batch_size', value: to }] },
    gradAccum: () => ({ ok: false, why: 'optimization.update_freq is a list with an entry for each epoch.' }),
    precision: to =>
      to.startsWith('fp16') || to === 'fp32'
        ? { ok: true, writes: [{ key: 'common.fp16', value: to !== 'fp32' }] }
        : { ok: true, writes: [{ key: 'common.bf16', value: true }] },
  },
  launch: [
    {
      argv: [
        'fairseq-hydra-train',
        '--config-dir',
        '{folder}',
        '--config-name',
        '{name}',
        'distributed_training.distributed_world_size={gpus}',
      ],
      source: 'examples/wav2vec/README.md',
    },
  ],
  logs: [
    {
      pattern: String.raw`"epoch": (?<epoch>\d+),.*?"loss": "(?<loss>[\d.e+-]+)".*?"ups": "(?<stepsPerSecond>[\d.e+-]+)".*?"num_updates": "(?<step>\d+)", "lr": "(?<learningRate>[\d.e+-]+)"`,
      fields: ['epoch', 'loss', 'stepsPerSecond', 'step', 'learningRate'],
      example:
        '[2024-05-01 12:00:00,000][train_inner][INFO] - {"epoch": 1, "update": 0.05, "loss": "6.5", "wps": "0", "ups": "0.5", "wpb": "90000", "bsz": "64", "num_updates": "200", "lr": "3.1e-06", "gnorm": "1.2", "train_wall": "9", "gb_free": "12.3", "wall": "20"}',
      source: 'fairseq/logging/progress_bar.py, JsonProgressBar; gb_free is that of GPU 0',
    },
  ],
  help: {
    'dataset.max_tokens': {
      text: 'Fills the batches of one GPU: tokens, or samples of the waveform in tasks on sound. Activations grow with it in proportion.',
    },
    'dataset.batch_size': {
      text: 'Most sentences of a batch on one GPU; with `max_tokens` whichever is reached first.',
    },
    'optimization.update_freq': {
      text: 'Batches whose gradients are added up before a step, for each epoch.',
      byDefault: '[1]',
    },
    'common.fp16': {
      text: 'Weights and gradients in fp16, with an fp32 copy of the weights beside them.',
      values: ['true', 'false'],
      byDefault: 'False',
    },
    'common.memory_efficient_fp16': {
      text: 'As `fp16`, without the fp32 copy: 4 to 6 bytes a parameter less.',
      values: ['true', 'false'],
      byDefault: 'False',
    },
    'common.bf16': {
      text: 'Weights and gradients in bf16, with an fp32 copy of the weights beside them.',
      values: ['true', 'false'],
      byDefault: 'False',
    },
    'distributed_training.distributed_world_size': {
      text: 'GPUs of all nodes together.',
      byDefault: 'all that are visible',
    },
    'distributed_training.ddp_backend': {
      text: '`fully_sharded` shards weights, gradients and states; the others keep all of them on each GPU.',
      values: ['pytorch_ddp', 'legacy_ddp', 'no_c10d', 'fully_sharded', 'slowmo'],
      byDefault: 'pytorch_ddp',
    },
    'model.checkpoint_activations': {
      text: 'Keeps the input of each layer only and computes the rest again in backward.',
      values: ['true', 'false'],
      byDefault: 'False',
    },
    'model.freeze_finetune_updates': {
      text: 'Steps in which the encoder is frozen: memory grows when they are over.',
    },
    'task.max_sample_size': {
      text: 'Longest crop in samples of the waveform: attention grows with its square.',
    },
    'task.tokens_per_sample': { text: 'Longest row in tokens.', byDefault: '1024' },
  },
};
