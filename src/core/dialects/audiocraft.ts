import type { Quantity } from '../spec/quantity';
import type { FsdpSettings } from '../spec/values';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { hydraTree } from './engine/hydra/composer';
import { count, flag, word } from './engine/readers';
import {
  cuda,
  effectiveOfShared,
  plainTraining,
  shareOfBatch,
  unlessMissing,
  unsaid,
  usually,
  workers,
} from './shared/toolkit';

const DEFAULTS = 'config/solver/default.yaml';

function precision(run: RunReader): Quantity<string> {
  const on = run.flag('autocast');
  if (on === null) return run.unknown('autocast is not set here.');
  if (!on) return run.at('autocast', 'fp32');
  const dtype = run.word('autocast_dtype') ?? 'float16';
  return run.at('autocast', dtype === 'bfloat16' ? 'bf16-mixed' : 'fp16-mixed');
}

/** config/solver/default.yaml: fsdp.use is false; `shard_grad_op` or `full_shard`. */
function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (!run.flag('fsdp.use')) return run.none(`${DEFAULTS}: fsdp.use is false`);
  const full = run.word('fsdp.sharding_strategy') === 'full_shard';
  return run.at<FsdpSettings>('fsdp.use', {
    version: 1,
    strategy: full ? 'FULL_SHARD' : 'SHARD_GRAD_OP',
    offloadParams: false,
    activationCheckpointing: null,
  });
}

const TASKS: readonly (readonly [RegExp, string])[] = [
  [/musicgen|magnet|jasco/, 'music_lm'],
  [/audiogen/, 'audio_lm'],
  [/compression|encodec/, 'audio_codec'],
];

/** AudioCraft's solver configs; sources are files of facebookresearch/audiocraft 896ec7c. */
export const audiocraft: Dialect = {
  id: 'audiocraft',
  title: 'AudioCraft',
  role: 'run',
  framework: { name: 'audiocraft', version: '1.3.0' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'compression_model_checkpoint',
      'dataset.sample_on_weight',
      'solver~^(musicgen|audiogen|compression|diffusion|magnet|jasco|watermark)',
    ],
    medium: [
      'autocast',
      'dataset.segment_duration',
      'optim.ema.*',
      'deadlock.*',
      'generate.lm.*',
      'fsdp.param_dtype',
      'optim.updates_per_epoch',
    ],
    weak: ['dataset.batch_size', 'autocast_dtype', 'evaluate.*'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['dataset.batch_size', 'optim.*'],
    least: 6,
  },
  quantities: {
    ...plainTraining('audiocraft/solvers/base.py'),
    model: { keys: ['lm_model', 'compression_model'], read: word },
    task: run => {
      const name = run.read('solver', unlessMissing(word)) ?? run.pathWords.join('/');
      const found = TASKS.find(([pattern]) => pattern.test(name))?.[1];
      if (found === undefined) return run.unknown('The solver is not named here.');
      return run.derived(found, ['solver'], 'what this solver trains');
    },
    // audiocraft/train.py L41-46: dataset.batch_size is divided by the number of GPUs.
    globalBatchSize: { keys: ['dataset.batch_size'], read: unlessMissing(count) },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    gradAccum: usually(1, 'audiocraft/solvers/musicgen.py steps after each batch'),
    seqLen: { keys: ['dataset.segment_duration'], read: count, unit: 'seconds of audio' },
    precision,
    precisionRaw: run => {
      if (!run.has('autocast')) return run.unknown('autocast is not set here.');
      const dtype = run.word('autocast_dtype');
      return run.at(
        'autocast',
        `autocast ${String(run.flag('autocast'))}${dtype === null ? '' : `, autocast_dtype ${dtype}`}`,
      );
    },
    optimizer: { keys: ['optim.optimizer'], read: unlessMissing(word) },
    gradientCheckpointing: {
      keys: ['transformer_lm.checkpointing'],
      read: value => (typeof value === 'string' ? { ok: value !== 'none' } : flag(value)),
    },
    fsdp,
    accelerator: cuda('audiocraft/environment.py'),
    devices: unsaid('dora takes all GPUs that it sees, or those of the cluster.'),
    numWorkers: workers(['dataset.num_workers'], 10, DEFAULTS),
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'dataset.batch_size counts what all GPUs share.' }) },
  launch: [{ argv: ['dora', 'run', '-d', 'solver={group}'], source: 'docs/TRAINING.md' }],
  logs: [
    {
      pattern: String.raw`Train \| Epoch (?<epoch>\d+) \| (?<step>\d+)/(?<steps>\d+) \| (?<stepsPerSecond>[\d.]+) it/sec \| ce (?<loss>[\d.E+-]+)`,
      fields: ['epoch', 'step', 'steps', 'stepsPerSecond', 'loss'],
      example:
        '[05-01 12:00:00][flashy.solver][INFO] - Train | Epoch 1 | 200/2000 | 2.1 it/sec | ce 6.1 | ppl 4.5E+02',
      source: 'flashy/logging.py, LogProgressBar',
    },
  ],
  compose: hydraTree,
  help: {
    'dataset.batch_size': {
      text: 'Segments of all GPUs together: each takes its share, so fewer GPUs means more memory on each.',
    },
    'dataset.segment_duration': {
      text: 'Seconds of a segment; the codec makes tokens of it (50 a second, in 4 codebooks).',
    },
    autocast: {
      text: 'Autocast in `autocast_dtype`: activations in 16 bits, weights and states in fp32.',
      values: ['true', 'false'],
    },
    autocast_dtype: { text: 'Dtype of autocast.', values: ['float16', 'bfloat16'], byDefault: 'float16' },
    'fsdp.use': {
      text: 'Shards gradients and states, with `full_shard` weights too.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'fsdp.param_dtype': {
      text: 'Dtype of what is gathered: what autocast would do.',
      values: ['float16', 'bfloat16', 'float32'],
      byDefault: 'float16',
    },
    'optim.ema.use': {
      text: 'Keeps a smoothed copy of the weights; `optim.ema.device` says where.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'optim.ema.device': { text: 'Where the smoothed copy is.', values: ['cpu', 'cuda'], byDefault: 'cpu' },
    'optim.optimizer': { text: '`adam` and `adamw` keep two states a parameter, `dadam` three.' },
    'transformer_lm.checkpointing': {
      text: 'Computes layers again in backward.',
      values: ['none', 'torch', 'xformers_default', 'xformers_mm'],
    },
  },
};
