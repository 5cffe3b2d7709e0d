import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, OffloadSettings, ZeroBuffers } from '../../spec/values';
import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';

/** Parts that may shard a run, by the keys that name them, the one that wins first. */
type PartKeys = readonly string[];

/** ZeRO stage of the first part that sets one; none without DeepSpeed. */
export function zeroStage(run: RunReader, keys: PartKeys): Quantity<0 | 1 | 2 | 3> {
  const parts = keys.map(key => run.part(key)?.get('zeroStage'));
  return parts.find(stage => stage && stage.value !== null) ?? run.none('no DeepSpeed config is named');
}

/** Where a sharding engine puts parameters and optimizer states; none when nothing shards. */
export function offloadOfParts(run: RunReader, keys: PartKeys): Quantity<OffloadSettings> | null {
  const parts = keys.map(key => run.part(key)?.get('offload'));
  return parts.find(offload => offload && offload.value !== null) ?? null;
}

/** FSDP moves parameters, gradients and optimizer states to the CPU together. */
export function fsdpOffload({ offloadParams }: FsdpSettings): OffloadSettings {
  return offloadParams === true ? { param: 'cpu', optimizer: 'cpu' } : { param: 'none', optimizer: 'none' };
}

/** What FSDP offloads; null where it does not shard. */
export function offloadOfFsdp(run: RunReader): Quantity<OffloadSettings> | null {
  const sharding = run.get('fsdp');
  return sharding.value && { ...sharding, value: fsdpOffload(sharding.value) };
}

/** The sharding strategy in FSDP 1's words. FSDP 2 only knows whether parameters are freed after the forward pass. */
export function fsdpStrategy(reshard: boolean | null, replicas: number | null): FsdpSettings['strategy'] {
  if (reshard === false) return 'SHARD_GRAD_OP';
  return replicas !== null && replicas > 1 ? 'HYBRID_SHARD' : 'FULL_SHARD';
}

/** Sizes of ZeRO's buffers, in the first part that is there. */
export function zeroBuffersOf(keys: PartKeys): Rule<ZeroBuffers> {
  return run => {
    const parts = keys.map(key => run.part(key)?.detail('zeroBuffers'));
    const found = parts.find(buffers => buffers && buffers.value !== null);
    return found ?? run.unknown('No DeepSpeed file is named, and other configs do not say it.');
  };
}
