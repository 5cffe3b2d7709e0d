import type { Plain } from '../../yaml/scalars';

/** What matters here of the accelerate configs that TRL ships and its command line knows by name. */
export const hfTrlPresets: Readonly<Record<string, Plain>> = {
  single_gpu: { distributed_type: 'NO', mixed_precision: 'bf16', num_machines: 1, num_processes: 8 },
  multi_gpu: { distributed_type: 'MULTI_GPU', mixed_precision: 'bf16', num_machines: 1, num_processes: 8 },
  zero1: deepspeed({ zero_stage: 1, gradient_accumulation_steps: 1 }),
  zero2: deepspeed({ zero_stage: 2, offload_optimizer_device: 'none', offload_param_device: 'none' }),
  zero3: deepspeed({ zero_stage: 3, offload_optimizer_device: 'none', offload_param_device: 'none' }),
  fsdp1: fsdp({ fsdp_version: 1 }),
  fsdp2: fsdp({ fsdp_version: 2, fsdp_reshard_after_forward: true }),
};

function deepspeed(config: Plain): Plain {
  return {
    distributed_type: 'DEEPSPEED',
    deepspeed_config: config,
    mixed_precision: 'bf16',
    num_machines: 1,
    num_processes: 8,
  };
}

function fsdp(version: Readonly<Record<string, Plain>>): Plain {
  return {
    distributed_type: 'FSDP',
    fsdp_config: { fsdp_offload_params: false, fsdp_activation_checkpointing: false, ...version },
    mixed_precision: 'bf16',
    num_machines: 1,
    num_processes: 8,
  };
}
