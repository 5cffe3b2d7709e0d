import type { Quantity } from '../../spec/quantity';
import type { Dtype, FsdpSettings, OffloadSettings } from '../../spec/values';
import type { LogLine } from '../../data/forms/line';
import type { Row, Rule } from '../dialect';
import { count, flag, oneOf, word } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

/** Composer starts with the whole device batch and halves it after each out-of-memory error (trainer.py L354-372). */
const microbatch: ValueReader<number> = value =>
  value === 'auto' ? { left: 'is auto: Composer halves the device’s batch until it fits' } : count(value);

const MICRO_KEYS = ['device_train_microbatch_size', 'trainer.device_train_microbatch_size'] as const;

export const microBatchSize: Row<number> = {
  keys: MICRO_KEYS,
  read: microbatch,
  near: ['global_train_batch_size', 'device_eval_batch_size'],
};

export const globalBatchSize: Row<number> = { keys: ['global_train_batch_size'], read: count };

/** Every step of Composer's runs on what amp_… autocasts; weights and states stay fp32. */
const PRECISIONS: Readonly<Record<string, string>> = {
  fp32: 'fp32',
  amp_fp16: 'fp16-mixed',
  amp_bf16: 'bf16-mixed',
  amp_fp8: 'fp8',
  amp: 'fp16-mixed',
  bf16: 'bf16-mixed',
};

const composerPrecision = oneOf(PRECISIONS);

const PRECISION_KEYS = ['precision', 'trainer.precision'] as const;

export const precisionRaw: Row<string> = { keys: PRECISION_KEYS, read: word };

/** A row with the default of one of Composer's dialects. */
export const precisionRow = (value: string, source: string): Row<string> => ({
  keys: PRECISION_KEYS,
  read: composerPrecision,
  absent: { value, source },
  near: ['device_train_microbatch_size'],
  write: to => Object.keys(PRECISIONS).find(name => PRECISIONS[name] === to) ?? null,
});

export const loadDtype: Rule<Dtype> = run =>
  run.byCode('fp32', 'llmfoundry/models/hf/hf_base.py L192, composer: fp32 masters');

const CHECKPOINTING = 'fsdp_config.activation_checkpointing';

export const gradientCheckpointing: Row<boolean> = {
  keys: [CHECKPOINTING, 'trainer.fsdp_config.activation_checkpointing'],
  read: flag,
  absent: {
    value: false,
    source: 'composer/utils/parallelism.py FSDPConfig: activation_checkpointing is False',
  },
  near: ['fsdp_config.mixed_precision'],
};

const STRATEGIES = ['FULL_SHARD', 'SHARD_GRAD_OP', 'NO_SHARD', 'HYBRID_SHARD'] as const;

/** Without the section it is DDP; with it on one GPU, too (llmfoundry/command_utils/train.py L319-331). */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (!run.has('fsdp_config')) return run.byDefault<FsdpSettings>(null, 'composer: fsdp_config is None');
  if (run.get('gpus').value === 1) {
    return run.derived<FsdpSettings>(null, ['gpus', 'fsdp_config'], 'one GPU: Composer reverts to DDP');
  }
  const stated = run.word('fsdp_config.sharding_strategy') ?? 'FULL_SHARD';
  const strategy = STRATEGIES.find(name => name === stated.toUpperCase()) ?? null;
  if (strategy === null) return run.unknown(`${stated} is none of ${STRATEGIES.join(', ')}.`);
  return run.at(['fsdp_config.sharding_strategy', 'fsdp_config'], {
    version: 1,
    strategy,
    offloadParams: false,
    activationCheckpointing: run.flag(CHECKPOINTING) ?? false,
  });
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  if (!run.has('fsdp_config')) return run.none('composer: no offloading without FSDP');
  const activations = run.flag('fsdp_config.activation_cpu_offload') === true ? 'cpu' : 'none';
  return run.at(['fsdp_config.activation_cpu_offload', 'fsdp_config'], {
    param: 'none',
    optimizer: 'none',
    activations,
  });
}

export const reentrant: Rule<boolean> = run => {
  const key = 'fsdp_config.activation_checkpointing_reentrant';
  const stated = run.flag(key);
  return stated === null
    ? run.byDefault(
        true,
        'composer/utils/parallelism.py FSDPConfig: activation_checkpointing_reentrant is True',
      )
    : run.at(key, stated);
};

/** GPUs are the launcher's; the platform's wrapper names them. */
export const gpus: Row<number> = { keys: ['compute.gpus'], read: count };

/** Composer counts what a device evaluates, or all of them together. */
export const evalBatchSize: Row<number> = {
  keys: ['device_eval_batch_size'],
  read: microbatch,
};

export const composerLogs: readonly LogLine[] = [
  {
    pattern: String.raw`\[batch=(?<step>\d+)/(?<steps>\d+)\]`,
    fields: ['step', 'steps'],
    example: '[batch=100/70000]:',
    source: 'composer/loggers/console_logger.py',
  },
  {
    pattern: String.raw`loss/train/total: (?<loss>[\d.]+)`,
    fields: ['loss'],
    example: 'Train loss/train/total: 7.0312',
    source: 'composer/loggers/console_logger.py',
  },
  {
    pattern: String.raw`memory/peak_allocated_mem: (?<allocatedGiB>[\d.]+)`,
    fields: ['allocatedGiB'],
    example: 'Train memory/peak_allocated_mem: 21.3',
    source: 'composer/callbacks/memory_monitor.py, with callbacks.memory_monitor',
  },
];
