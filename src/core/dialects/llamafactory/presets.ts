import type { Plain } from '../../yaml/scalars';

type Facts = Readonly<Record<string, Plain>>;

const auto = {
  train_batch_size: 'auto',
  train_micro_batch_size_per_gpu: 'auto',
  gradient_accumulation_steps: 'auto',
  bf16: { enabled: 'auto' },
  fp16: { enabled: 'auto' },
};
const TWO = { stage: 2, overlap_comm: false, allgather_bucket_size: 5e8, reduce_bucket_size: 5e8 };
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
const cpu = { device: 'cpu', pin_memory: true };

/** What matters here of the DeepSpeed files in LLaMA-Factory's `examples/deepspeed` (ff6d4d1), which most configs name. */
export const llamafactoryPresets: Readonly<Record<string, Plain>> = {
  'ds_z0_config.json': zero({ ...TWO, stage: 0 }),
  'ds_z2_config.json': zero(TWO),
  'ds_z2_offload_config.json': zero({ ...TWO, offload_optimizer: cpu }),
  'ds_z2_autotp_config.json': { ...zero(TWO), tensor_parallel: { autotp_size: 2 } },
  'ds_z3_config.json': zero(THREE),
  'ds_z3_offload_config.json': zero({ ...THREE, offload_optimizer: cpu, offload_param: cpu }),
  'ds_z3_fp8_config.json': {
    ...auto,
    zero_optimization: {
      ...THREE,
      offload_optimizer: { device: 'cpu' },
      reduce_bucket_size: 12845056,
      stage3_prefetch_bucket_size: 11560550,
    },
  },
};
