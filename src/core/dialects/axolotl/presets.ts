import type { Plain } from '../../yaml/scalars';

type Facts = Readonly<Record<string, Plain>>;

const zero = (stage: number, facts: Facts = {}): Facts => ({
  zero_optimization: { stage, overlap_comm: true, ...(stage === 3 ? BUFFERS : {}), ...facts },
});
/** What they say of stage 3's buffers. */
const BUFFERS = {
  sub_group_size: 0,
  max_reuse_distance: 0,
  reduce_bucket_size: 'auto',
  prefetch_bucket_size: 'auto',
};
const cpu = { device: 'cpu' };
const bf16 = { bf16: { enabled: true } };

/**
 * What matters here of the DeepSpeed files that Axolotl 0.18.0 keeps in `deepspeed_configs/`, for configs that name
 * one and do not have it beside them. Mind `zero2.json`: it moves the optimizer to the CPU.
 */
export const axolotlPresets: Readonly<Record<string, Plain>> = {
  'deepspeed_configs/zero1.json': zero(1),
  'deepspeed_configs/zero1_torch_compile.json': zero(1),
  'deepspeed_configs/zero2.json': zero(2, { offload_optimizer: cpu }),
  'deepspeed_configs/zero2_torch_compile.json': zero(2, { offload_optimizer: cpu }),
  'deepspeed_configs/zero3.json': zero(3),
  'deepspeed_configs/zero3_bf16.json': { ...zero(3), ...bf16 },
  'deepspeed_configs/zero3_bf16_cpuoffload_all.json': {
    ...zero(3, { offload_optimizer: cpu, offload_param: cpu }),
    ...bf16,
  },
  'deepspeed_configs/zero3_bf16_cpuoffload_params.json': {
    ...zero(3, { offload_param: cpu }),
    ...bf16,
  },
};
