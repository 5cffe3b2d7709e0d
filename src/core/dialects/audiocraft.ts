import { builtIn } from './defined/compile';
import file from './audiocraft.yaml';
import type { Quantity } from '../spec/quantity';
import type { FsdpSettings } from '../spec/values';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { hydraTree } from './engine/hydra/composer';
import { count, flag, word } from './engine/readers';
import { effectiveOfShared, shareOfBatch, unlessMissing } from './shared/toolkit';

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
export const audiocraft: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const name = run.read('solver', unlessMissing(word)) ?? run.pathWords.join('/');
      const found = TASKS.find(([pattern]) => pattern.test(name))?.[1];
      if (found === undefined) return run.unknown('The solver is not named here.');
      return run.derived(found, ['solver'], 'what this solver trains');
    },
    // audiocraft/train.py L41-46: dataset.batch_size is divided by the number of GPUs.
    globalBatchSize: { read: unlessMissing(count) },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    precision,
    precisionRaw: run => {
      if (!run.has('autocast')) return run.unknown('autocast is not set here.');
      const dtype = run.word('autocast_dtype');
      return run.at(
        'autocast',
        `autocast ${String(run.flag('autocast'))}${dtype === null ? '' : `, autocast_dtype ${dtype}`}`,
      );
    },
    optimizer: { read: unlessMissing(word) },
    gradientCheckpointing: {
      read: value => (typeof value === 'string' ? { ok: value !== 'none' } : flag(value)),
    },
    fsdp,
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'dataset.batch_size counts what all GPUs share.' }) },
  compose: hydraTree,
});
