import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, ParallelSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

const TYPE = 'distributed.fsdp_type';

/** lingua/distributed.py: FSDP 2, which gives parameters back after forward only where it shards fully. */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const type = run.word(TYPE) ?? 'no_shard';
  const strategy = type === 'full_shard' ? 'FULL_SHARD' : 'SHARD_GRAD_OP';
  const settings: FsdpSettings = {
    version: 2,
    strategy,
    offloadParams: false,
    activationCheckpointing: null,
  };
  return run.has(TYPE)
    ? run.at(TYPE, settings)
    : run.byDefault(settings, 'lingua/distributed.py, DistributedArgs: no_shard');
}

export function strategy(run: RunReader): Quantity<string> {
  const type = run.word(TYPE);
  return type === null
    ? run.byDefault('fsdp no_shard', 'lingua/distributed.py, DistributedArgs')
    : run.at(TYPE, `fsdp ${type}`);
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const at = (name: string): number | null => {
    const key = `distributed.${name}`;
    return run.has(key) ? run.count(key) : null;
  };
  const keys = ['tp_size', 'dp_shard', 'dp_replicate'].map(name => `distributed.${name}`);
  if (!keys.some(key => run.has(key))) {
    return run.none('lingua/distributed.py, DistributedArgs: every degree is 1');
  }
  return run.at(keys, {
    tensor: at('tp_size') ?? 1,
    context: 1,
    pipeline: 1,
    expert: 1,
    dataShard: at('dp_shard'),
    dataReplicate: at('dp_replicate'),
  });
}
