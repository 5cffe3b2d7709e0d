import type { Quantity } from '../../spec/quantity';
import type { ParallelSettings, FsdpSettings, OffloadSettings, ZeroBuffers } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import type { Rule } from '../dialect';

const DEGREES = [
  'tensor_model_parallel_size',
  'pipeline_model_parallel_size',
  'context_parallel_size',
  'expert_model_parallel_size',
] as const;

/** Parallel degrees by Megatron's names, below `section`; null if none is stated. */
export function megatronDegrees(run: RunReader, section = ''): Quantity<ParallelSettings> | null {
  const keys = DEGREES.map(name => `${section}${name}`);
  if (!keys.some(key => run.has(key))) return null;
  const [tensor = 1, pipeline = 1, context = 1, expert = 1] = keys.map(key => run.count(key) ?? 1);
  return run.at(keys, { tensor, pipeline, context, expert, dataShard: null, dataReplicate: null });
}

/** Keys that name parts with sharding settings, in order of precedence. */
type PartKeys = readonly string[];

/** ZeRO stage of the first part that sets one; none without DeepSpeed. */
export function zeroStage(run: RunReader, keys: PartKeys): Quantity<0 | 1 | 2 | 3> {
  const parts = keys.map(key => run.part(key)?.get('zeroStage'));
  const stated = parts.find(stage => stage && stage.value !== null);
  const open = parts.find(stage => stage?.origin.kind === 'unresolved');
  return stated ?? open ?? run.none('no DeepSpeed config is named');
}

/** FSDP of the first part that sets it; null without one. */
export function fsdpOfParts(run: RunReader, keys: PartKeys): Quantity<FsdpSettings> | null {
  const parts = keys.map(key => run.part(key)?.get('fsdp'));
  return parts.find(fsdp => fsdp && fsdp.value !== null) ?? null;
}

/** Where a sharding engine puts parameters and optimizer states; none without sharding. */
export function offloadOfParts(run: RunReader, keys: PartKeys): Quantity<OffloadSettings> | null {
  const parts = keys.map(key => run.part(key)?.get('offload'));
  return parts.find(offload => offload && offload.value !== null) ?? null;
}

/** FSDP moves parameters, gradients and optimizer states to the CPU together. */
export function fsdpOffload({ offloadParams }: FsdpSettings): OffloadSettings {
  return offloadParams === true ? { param: 'cpu', optimizer: 'cpu' } : { param: 'none', optimizer: 'none' };
}

/** FSDP's offload; null without sharding. */
export function offloadOfFsdp(run: RunReader): Quantity<OffloadSettings> | null {
  const sharding = run.get('fsdp');
  return sharding.value && { ...sharding, value: fsdpOffload(sharding.value) };
}

/**
 * The sharding strategy in terms of FSDP 1. FSDP 2 only knows whether parameters are freed after the forward pass.
 */
export function fsdpStrategy(reshard: boolean | null, replicas: number | null): FsdpSettings['strategy'] {
  if (reshard === false) return 'SHARD_GRAD_OP';
  return replicas !== null && replicas > 1 ? 'HYBRID_SHARD' : 'FULL_SHARD';
}

/** Sizes of ZeRO's buffers, from the first existing part. */
export function zeroBuffersOf(keys: PartKeys): Rule<ZeroBuffers> {
  return run => {
    const parts = keys.map(key => run.part(key)?.detail('zeroBuffers'));
    const found = parts.find(buffers => buffers && buffers.value !== null);
    return found ?? run.unknown('No DeepSpeed file is named, and other configs do not say it.');
  };
}
