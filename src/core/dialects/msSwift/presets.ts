import type { Plain } from '../../yaml/scalars';

type Facts = Readonly<Record<string, Plain>>;

const auto = {
  train_batch_size: 'auto',
  train_micro_batch_size_per_gpu: 'auto',
  gradient_accumulation_steps: 'auto',
  bf16: { enabled: 'auto' },
  fp16: { enabled: 'auto' },
};
const none = { device: 'none', pin_memory: true };
const cpu = { device: 'cpu', pin_memory: true };
const TWO = { stage: 2, overlap_comm: false, allgather_bucket_size: 2e8, reduce_bucket_size: 2e8 };
const THREE = {
  stage: 3,
  overlap_comm: false,
  sub_group_size: 1e9,
  reduce_bucket_size: 'auto',
  stage3_prefetch_bucket_size: 'auto',
  stage3_param_persistence_threshold: 'auto',
  stage3_max_live_parameters: 1e9,
  stage3_max_reuse_distance: 1e9,
};
const zero = (facts: Facts): Facts => ({ ...auto, zero_optimization: facts });

/** What matters here of the DeepSpeed files that ms-swift knows by name (swift/config/*.json, 3602360). */
export const msSwiftPresets: Readonly<Record<string, Plain>> = {
  zero0: zero({ stage: 0, overlap_comm: false }),
  zero1: zero({ ...TWO, stage: 1, offload_optimizer: none }),
  zero2: zero({ ...TWO, offload_optimizer: none }),
  zero2_offload: zero({ ...TWO, offload_optimizer: cpu }),
  zero3: zero({ ...THREE, offload_optimizer: none, offload_param: none }),
  zero3_offload: zero({ ...THREE, offload_optimizer: cpu, offload_param: cpu }),
};
