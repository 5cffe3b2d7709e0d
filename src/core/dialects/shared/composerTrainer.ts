import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, OffloadSettings } from '../../spec/values';
import type { LogLine } from '../../data/forms/line';
import type { QuantityTable, Row } from '../dialect';
import { count } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

/** Composer starts with the whole device batch and halves it after each out-of-memory error (trainer.py L354-372). */
const microbatch: ValueReader<number> = value =>
  value === 'auto' ? { left: 'is auto: Composer halves the device’s batch until it fits' } : count(value);

const MICRO_KEYS = ['device_train_microbatch_size', 'trainer.device_train_microbatch_size'] as const;

const microBatchSize: Row<number> = {
  keys: MICRO_KEYS,
  read: microbatch,
  near: ['global_train_batch_size', 'device_eval_batch_size'],
};

const CHECKPOINTING = 'fsdp_config.activation_checkpointing';

const STRATEGIES = ['FULL_SHARD', 'SHARD_GRAD_OP', 'NO_SHARD', 'HYBRID_SHARD'] as const;

/** DDP without the section; with it FSDP, even on one GPU (llmfoundry/command_utils/train.py L319-331). */
function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (!run.has('fsdp_config')) return run.byDefault<FsdpSettings>(null, 'composer: fsdp_config is None');
  if (run.get('gpus').value === 1) {
    return run.derived<FsdpSettings>(null, ['gpus', 'fsdp_config'], 'one GPU: Composer reverts to DDP');
  }
  const stated = run.word('fsdp_config.sharding_strategy') ?? 'FULL_SHARD';
  const strategy = STRATEGIES.find(name => name === stated.toUpperCase()) ?? null;
  if (strategy === null) return run.unknown(`${stated} is not one of ${STRATEGIES.join(', ')}.`);
  return run.at(['fsdp_config.sharding_strategy', 'fsdp_config'], {
    version: 1,
    strategy,
    offloadParams: false,
    activationCheckpointing: run.flag(CHECKPOINTING) ?? false,
  });
}

function offload(run: RunReader): Quantity<OffloadSettings> {
  if (!run.has('fsdp_config')) return run.none('composer: no offloading without FSDP');
  const activations = run.flag('fsdp_config.activation_cpu_offload') === true ? 'cpu' : 'none';
  return run.at(['fsdp_config.activation_cpu_offload', 'fsdp_config'], {
    param: 'none',
    optimizer: 'none',
    activations,
  });
}

/** Rows of Composer's Trainer, shared by its dialects. */
export const composerTrainer = { microBatchSize, fsdp, offload } as const satisfies QuantityTable;

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
