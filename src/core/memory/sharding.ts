import type { Element } from './tensor';

/** How data-parallel ranks split what each would otherwise hold in full. */
export type Sharding = FullySharded | ZeroSharded | MegatronSharded;

/** Sharding with parameters that are held in parts, or gradients in buckets, and gathered. */
export type Gathered = FullySharded | ZeroSharded;

/** torch's FullyShardedDataParallel (version 1) and fully_shard (version 2), with each layer as a unit. */
export interface FullySharded {
  readonly kind: 'fsdp';
  readonly version: 1 | 2;
  /** Ranks that share one copy. */
  readonly ranks: number;
  /** Ranks that share one copy of the experts that expert parallelism leaves to a rank; absent: as many as of the rest. */
  readonly expertRanks?: number;
  /** A layer's parameters are freed after its forward pass and gathered again in backward. */
  readonly reshards: boolean;
  /**
   * Parameters stay gathered, and gradients whole in the dtype of their reduction, for all micro-batches of a
   * pipeline (_fsdp_param.py, unsharded_accumulated_grad).
   */
  readonly staysGathered?: boolean;
  /** MixedPrecision's dtype of gathered parameters; null: the shards' dtype. */
  readonly compute: Element | null;
  /** The dtype of gradient reduction; null: the gradients' own dtype. */
  readonly reduce: Element | null;
  /** Shards, their gradients and the optimizer are on the CPU. */
  readonly offload: boolean;
  /** Layers are frozen, and each adapter matrix is a separate unit (peft, fsdp_auto_wrap_policy). */
  readonly frozenLayers: boolean;
  /** Frozen and trained parameters of a layer form one flat parameter, whose gradient covers all of them. */
  readonly flattensFrozen: boolean;
}

/** DeepSpeed's ZeRO: 16-bit parameters, fp32 masters, states and gradients, sharded as far as the stage says. */
export interface ZeroSharded {
  readonly kind: 'zero';
  readonly stage: 1 | 2 | 3;
  readonly ranks: number;
  /** The dtype of parameters and gradients. */
  readonly compute: Element;
  readonly offloadsParameters: boolean;
  readonly offloadsOptimizer: boolean;
  /** Elements of a gradient-reduction buffer, and the number of buffers. */
  readonly reduceBucket: number;
  readonly reduceBuffers: 1 | 2;
  /** Elements that are prefetched (stage 3). */
  readonly prefetchBucket: number;
  /** Elements of the last layers that stay gathered from forward to backward (stage 3). */
  readonly liveElements: number;
  /** Elements that the optimizer updates at once (stage 3). */
  readonly subGroup: number;
}

/**
 * Megatron's: fp32 gradients and masters next to 16-bit weights; the distributed optimizer shards masters and
 * states.
 */
export interface MegatronSharded {
  readonly kind: 'megatron';
  /** Replicas of a slice of the model. */
  readonly ranks: number;
  /** Replicas of a rank's experts. */
  readonly expertRanks: number;
  readonly distributed: boolean;
  /** The dtype of parameters. */
  readonly compute: Element;
  /** Masters and states are on the CPU (`--optimizer-cpu-offload`). */
  readonly onHost: boolean;
}

/** True if parameters exist in full only while they are used. */
export function gathers(sharding: Sharding | null): sharding is Gathered {
  if (sharding === null || sharding.kind === 'megatron') return false;
  return sharding.kind === 'fsdp' || sharding.stage === 3;
}
