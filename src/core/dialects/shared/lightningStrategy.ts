import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, OffloadSettings } from '../../spec/values';
import type { QuantityTable } from '../dialect';
import type { RunReader } from '../engine/runReader';

const REGISTRY = 'lightning strategies/deepspeed.py, fsdp.py: names that are registered';

/** Strategy names by class name. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/DDPStrategy$/, 'ddp'],
  [/FSDPStrategy$/, 'fsdp'],
  [/DeepSpeedStrategy$/, 'deepspeed'],
  [/SingleDeviceStrategy$/, 'single_device'],
];

/** `lightning.pytorch.strategies.DDPStrategy` → `ddp`; other names unchanged. */
export const strategyWord = (name: string): string =>
  CLASSES.find(([pattern]) => pattern.test(name))?.[1] ?? name;

/**
 * Sharding of a Lightning strategy. `options` is the section of its arguments if it is given as a class; a name has
 * registered arguments.
 */
export function lightningSharding(key: string, options: string): QuantityTable {
  return {
    zeroStage: run => {
      const strategy = run.get('strategy').value;
      const stage = run.read(`${options}.stage`, value => (isStage(value) ? { ok: value } : null));
      if (stage !== null) return run.at(`${options}.stage`, stage);
      if (strategy?.startsWith('deepspeed') !== true) return run.none(REGISTRY);
      const named = Number(/stage_(\d)/.exec(strategy)?.[1] ?? '2');
      return run.at<0 | 1 | 2 | 3>(key, isStage(named) ? named : 2);
    },
    fsdp: run => fsdp(run, key, options),
    offload: run => offload(run, key, options),
  };
}

const isStage = (value: unknown): value is 0 | 1 | 2 | 3 =>
  value === 0 || value === 1 || value === 2 || value === 3;

function fsdp(run: RunReader, key: string, options: string): Quantity<FsdpSettings> {
  const strategy = run.get('strategy').value;
  if (strategy?.startsWith('fsdp') !== true) return run.none(REGISTRY);
  const sharding = run.has(`${options}.sharding_strategy`) ? run.word(`${options}.sharding_strategy`) : null;
  return run.at(key, {
    version: 1,
    strategy: SHARDING.find(name => name === sharding) ?? 'FULL_SHARD',
    offloadParams: strategy === 'fsdp_cpu_offload' || run.flag(`${options}.cpu_offload`) === true,
    activationCheckpointing: run.has(`${options}.activation_checkpointing_policy`) ? true : null,
  });
}

const SHARDING = ['FULL_SHARD', 'SHARD_GRAD_OP', 'NO_SHARD', 'HYBRID_SHARD'] as const;

function offload(run: RunReader, key: string, options: string): Quantity<OffloadSettings> {
  const strategy = run.get('strategy').value ?? '';
  const byName = /^deepspeed_stage_(\d)_offload(_nvme)?$/.exec(strategy);
  const parameters = run.flag(`${options}.offload_parameters`) ?? byName?.[1] === '3';
  const optimizer = run.flag(`${options}.offload_optimizer`) ?? byName !== null;
  if (!parameters && !optimizer) return run.none(REGISTRY);
  const place = byName?.[2] === undefined ? 'cpu' : 'nvme';
  return run.at(key, { param: parameters ? place : 'none', optimizer: optimizer ? place : 'none' });
}
