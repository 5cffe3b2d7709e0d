import type { FsdpSettings } from '../../spec/values';
import type { Architecture } from '../architecture';
import type { FullySharded, Sharding } from '../sharding';
import type { Asker } from './asker';
import type { Numbers } from './numbers';

/** How ranks share the model; null where each holds it in full. */
export function shardingOf(
  asker: Asker,
  architecture: Architecture,
  numbers: Numbers,
  gpus: number,
): Sharding | null {
  const fsdp = asker.value('fsdp');
  const sharding = fsdp ? fullySharded(asker, fsdp, numbers, gpus) : null;
  if (sharding !== null && architecture.hasLayers !== true) {
    asker.lack(`which parts of a ${architecture.modelTypes[0] ?? ''} are gathered together`);
  }
  return sharding;
}

/** One rank shares with nobody, and torch then turns to NO_SHARD. */
function fullySharded(
  asker: Asker,
  { version, strategy, offloadParams }: FsdpSettings,
  { autocast }: Numbers,
  gpus: number,
): FullySharded | null {
  const offload = offloadParams === true || isOnHost(asker, 'param');
  const ranks = ranksOf(asker, strategy, gpus);
  if (strategy === 'NO_SHARD' || (ranks === 1 && !offload)) return null;
  return {
    kind: 'fsdp',
    version: version ?? asker.assume(1, 'FSDP 1: the config does not say which'),
    ranks,
    reshards: strategy !== 'SHARD_GRAD_OP',
    compute: autocast,
    // accelerate, utils/dataclasses.py, set_mixed_precision: one dtype for parameters, reduction and buffers.
    reduce: autocast,
    offload,
    frozenLayers: asker.value('lora') !== null,
  };
}

/** Hybrid sharding shards within a node and replicates over nodes. */
function ranksOf(asker: Asker, strategy: FsdpSettings['strategy'], gpus: number): number {
  const parallel = asker.value('parallel');
  if (parallel?.dataShard) return parallel.dataShard;
  if (parallel?.dataReplicate) return Math.max(1, gpus / parallel.dataReplicate);
  if (strategy !== 'HYBRID_SHARD') return gpus;
  return Math.max(1, Math.floor(gpus / (asker.value('nodes') ?? 1)));
}

/** Where a part of the state lives that the config may move. */
export function isOnHost(asker: Asker, part: 'param' | 'optimizer'): boolean {
  const place = asker.value('offload')?.[part] ?? null;
  return place === 'cpu' || place === 'nvme';
}
