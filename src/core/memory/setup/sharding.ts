import type { ModelFacts } from '../../models/model';
import type { FsdpSettings } from '../../spec/values';
import type { Architecture } from '../architecture';
import type { Behavior } from '../frameworks/behavior/behavior';
import { profileOf } from '../frameworks/profileOf';
import { gathers } from '../sharding';
import type { LoraPlan } from '../run';
import type { FullySharded, MegatronSharded, Sharding, ZeroSharded } from '../sharding';
import type { Element } from '../tensor';
import type { Asker } from './asker';
import type { Numbers } from './numbers';
import { cutsOf, expertTensorOf } from './slice';

/** What ranks share. */
interface Shared {
  readonly model: ModelFacts;
  readonly numbers: Numbers;
  readonly gpus: number;
  readonly behavior: Behavior;
}

/** How ranks share the model; null where each holds it in full. */
export function shardingOf(
  asker: Asker,
  architecture: Architecture,
  { model, numbers, gpus, behavior }: Shared,
): Sharding | null {
  const fsdp = asker.value('fsdp');
  const stage = asker.value('zeroStage') ?? 0;
  if (profileOf(asker.run.framework).sharding === 'megatron') {
    return megatronSharded(asker, gpus, stage > 0 || asker.detail('distributedOptimizer') === true);
  }
  const sharding =
    stage > 0
      ? zeroSharded(asker, stage as 1 | 2 | 3, model.hiddenSize, gpus)
      : fsdp
        ? fullySharded(asker, fsdp, mixedIn(asker, numbers, behavior), { gpus, behavior })
        : null;
  if (gathers(sharding) && architecture.hasLayers !== true) {
    asker.lack(`which parts of a ${architecture.modelTypes[0] ?? ''} are gathered together`);
  }
  return sharding;
}

/** Replicas of experts are those ranks of a stage that have others' experts or other parts of them left out. */
function megatronSharded(asker: Asker, ranks: number, distributed: boolean): MegatronSharded {
  const { tensor, expert } = cutsOf(asker);
  const expertRanks = Math.max(1, Math.floor((ranks * tensor) / (expert * expertTensorOf(asker))));
  const onHost = isOnHost(asker, 'optimizer');
  return { kind: 'megatron', ranks, expertRanks, distributed, compute: computeOf(asker), onHost };
}

/** What parameters are gathered and gradients reduced in. */
type Mixed = Pick<FullySharded, 'compute' | 'reduce'> & { readonly version?: 2 };

/** Of a framework's own MixedPrecisionPolicy; else one dtype for all (accelerate, utils/dataclasses.py, set_mixed_precision). */
function mixedIn(asker: Asker, { autocast }: Numbers, { fsdp: own }: Behavior): Mixed {
  return own ? { ...own, compute: computeOf(asker) } : { compute: autocast, reduce: autocast };
}

/** One rank shares with nobody, and torch then turns to NO_SHARD. */
function fullySharded(
  asker: Asker,
  { version, strategy, offloadParams }: FsdpSettings,
  mixed: Mixed,
  { gpus, behavior }: Pick<Shared, 'gpus' | 'behavior'>,
): FullySharded | null {
  const offload = offloadParams === true || isOnHost(asker, 'param');
  const ranks = ranksOf(asker, strategy, gpus);
  if (strategy === 'NO_SHARD' || (ranks === 1 && !offload)) return null;
  return {
    kind: 'fsdp',
    version: version ?? mixed.version ?? asker.assume(1, 'FSDP 1: the config does not say which'),
    ranks,
    reshards: strategy !== 'SHARD_GRAD_OP',
    staysGathered: staysGathered(asker),
    compute: mixed.compute,
    reduce: mixed.reduce,
    offload,
    frozenLayers: asker.value('lora') !== null && !behavior.flattensFrozen,
    flattensFrozen: asker.value('lora') !== null && behavior.flattensFrozen,
  };
}

/** Some frameworks give nothing back between the micro-batches of a pipeline. */
const staysGathered = (asker: Asker): boolean =>
  profileOf(asker.run.framework).pipelineDividesBatch && (asker.value('parallel')?.pipeline ?? 1) > 1;

/** Hybrid sharding shards within a node and replicates over nodes. */
function ranksOf(asker: Asker, strategy: FsdpSettings['strategy'], gpus: number): number {
  const parallel = asker.value('parallel');
  // The ranks of one row share parameters, too (accelerate, parallelism_config.py, dp_shard_cp).
  if (parallel?.dataShard) return parallel.dataShard * parallel.context;
  if (parallel?.dataReplicate) return Math.max(1, gpus / parallel.dataReplicate);
  if (strategy !== 'HYBRID_SHARD') return gpus;
  return Math.max(1, Math.floor(gpus / (asker.value('nodes') ?? 1)));
}

/** Where a part of the state lives that the config may move. */
export function isOnHost(asker: Asker, part: 'param' | 'optimizer'): boolean {
  const place = asker.value('offload')?.[part] ?? null;
  return place === 'cpu' || place === 'nvme';
}

/** What a run under DeepSpeed holds and computes in: it casts the model, and there is no autocast. */
export function underZero(asker: Asker, numbers: Numbers | null): Numbers | null {
  if (numbers === null || !usesZero(asker)) return numbers;
  return { ...numbers, weightDtype: computeOf(asker), autocast: null };
}

/** Adapters, too, are cast; none of them stays wider. */
export function castAdapters(asker: Asker, lora: LoraPlan | null, numbers: Numbers): LoraPlan | null {
  return lora && usesZero(asker) ? { ...lora, dtype: numbers.weightDtype } : lora;
}

export const usesZero = (asker: Asker): boolean =>
  (asker.value('zeroStage') ?? 0) > 0 || profileOf(asker.run.framework).sharding === 'megatron';

/** bf16.enabled and fp16.enabled; fp32 without both. Linear layers that compute in fp8 take 16-bit tensors. */
function computeOf(asker: Asker): Element {
  const [dtype] = (asker.value('precision') ?? 'fp32').split('-');
  if (dtype === 'fp8') return 'bf16';
  return dtype === 'bf16' || dtype === 'fp16' ? dtype : 'fp32';
}

/** DeepSpeed's defaults (0.19.6, runtime/zero/config.py). */
const REDUCE_BUCKET = 5e8;
const PREFETCH_BUCKET = 5e7;
const SUB_GROUP = 1e9;
const REUSE_DISTANCE = 1e9;

/**
 * Parameters are not given back that are used again within the reuse distance, counted in elements of the modules that
 * run meanwhile (partitioned_param_coordinator.py, __params_to_release): those of the layers behind, forwards,
 * recomputed where that is so, and backwards.
 */
const passesOver = (asker: Asker): number => (asker.value('gradientCheckpointing') === true ? 3 : 2);

function zeroSharded(asker: Asker, stage: 1 | 2 | 3, hidden: number, ranks: number): ZeroSharded {
  const buffers = asker.detail('zeroBuffers');
  // accelerate and transformers fill `auto` from the hidden size (accelerator.py, _prepare_deepspeed).
  const reduceBucket = sizeOr(buffers?.reduceBucket ?? REDUCE_BUCKET, hidden ** 2);
  const prefetchBucket = sizeOr(buffers?.prefetchBucket ?? PREFETCH_BUCKET, 0.9 * hidden ** 2);
  return {
    kind: 'zero',
    stage,
    ranks,
    compute: computeOf(asker),
    offloadsParameters: stage === 3 && isOnHost(asker, 'param'),
    offloadsOptimizer: isOnHost(asker, 'optimizer'),
    reduceBucket,
    // stage_1_and_2.py, setup_buckets: a second one where reduction overlaps; stage3.py has one.
    reduceBuffers: stage < 3 && buffers?.overlapsComm === true ? 2 : 1,
    prefetchBucket,
    liveElements: (buffers?.reuseDistance ?? REUSE_DISTANCE) / passesOver(asker),
    subGroup: buffers?.subGroup ?? SUB_GROUP,
  };
}

const sizeOr = (stated: number | 'auto', derived: number): number => (stated === 'auto' ? derived : stated);
