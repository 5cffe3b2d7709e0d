import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What accelerate's keys do to memory; sources as in the dialect's table. */
export const accelerateHelp: Readonly<Record<string, KeyHelp>> = {
  distributed_type: {
    text: 'How GPUs work together. MULTI_GPU keeps a copy of everything on each, FSDP and DEEPSPEED share it out.',
    values: ['NO', 'MULTI_GPU', 'FSDP', 'DEEPSPEED', 'MEGATRON_LM'],
  },
  num_processes: { text: 'GPUs in all, over all machines.' },
  num_machines: { text: 'Machines.', byDefault: '1' },
  mixed_precision: {
    text: 'Autocast, and fp32 copies of trained weights under FSDP. With `no`, weights loaded in bf16 are trained in it.',
    values: ['no', 'fp16', 'bf16', 'fp8'],
    byDefault: 'no',
  },
  'deepspeed_config.zero_stage': {
    text: 'What GPUs share: 1 the optimizer’s states, 2 gradients as well, 3 weights too.',
    values: ['0', '1', '2', '3'],
    byDefault: '2',
  },
  'deepspeed_config.offload_optimizer_device': {
    text: 'Where states and fp32 copies are kept: 12 bytes a parameter less on the GPU.',
    values: ['none', 'cpu', 'nvme'],
    byDefault: 'none',
  },
  'deepspeed_config.offload_param_device': {
    text: 'Where shards of the weights are kept between uses. Stage 3 only.',
    values: ['none', 'cpu', 'nvme'],
    byDefault: 'none',
  },
  'deepspeed_config.deepspeed_config_file': {
    text: 'A DeepSpeed config in place of the keys beside it, which are refused then.',
  },
  'fsdp_config.fsdp_version': {
    text: 'Which FSDP; 2 shards each parameter.',
    values: ['1', '2'],
    byDefault: '1',
  },
  'fsdp_config.fsdp_sharding_strategy': {
    text: 'FSDP 1: FULL_SHARD shares weights, gradients and states; SHARD_GRAD_OP keeps weights between forward and backward.',
    values: ['FULL_SHARD', 'SHARD_GRAD_OP', 'NO_SHARD', 'HYBRID_SHARD', 'HYBRID_SHARD_ZERO2'],
    byDefault: 'FULL_SHARD',
  },
  'fsdp_config.fsdp_reshard_after_forward': {
    text: 'FSDP 2: gives a layer’s parameters back after its forward pass.',
    values: FLAG,
    byDefault: 'true',
  },
  'fsdp_config.fsdp_offload_params': {
    text: 'Keeps shards, gradients and states on the host; the step runs on the CPU.',
    values: FLAG,
    byDefault: 'false',
  },
  'fsdp_config.fsdp_activation_checkpointing': {
    text: 'Keeps only the input of each wrapped layer and computes the rest again in backward.',
    values: FLAG,
    byDefault: 'false',
  },
  'fsdp_config.fsdp_auto_wrap_policy': {
    text: 'What is gathered at a time. Without wrapping all weights are, at once.',
    values: ['TRANSFORMER_BASED_WRAP', 'SIZE_BASED_WRAP', 'NO_WRAP'],
  },
  'fsdp_config.fsdp_cpu_ram_efficient_loading': {
    text: 'Only one process loads the weights; without it host memory is model × processes.',
    values: FLAG,
    byDefault: 'true',
  },
};
