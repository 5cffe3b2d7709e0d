import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** Names of Apex' or Transformer Engine's FusedAdam: NeMo's, and the core's distributed optimizer around it. */
const FUSED: ReadonlySet<string> = new Set([
  'adamw_torch',
  'adamw',
  'adam',
  'fused_adam',
  'distributed_fused_adam',
  'mcore_distributed_optim',
]);

/** Common profile of frameworks on Megatron's core. */
const megatronCore: FrameworkProfile = {
  ...usual,
  // megatron/training/initialize.py: "Megatron requires CUDA."; ROCm takes the same calls.
  makers: ['NVIDIA', 'AMD'],
  models: 'megatron',
  fp8: 'keeps 8 bits',
  tensorParallel: 'megatron',
  sharding: 'megatron',
  optimizer: name => ({ name: FUSED.has(name) ? 'adamw_torch_fused' : name }),
  behavior: ({ sequenceParallel }) => ({
    // tensor_parallel/random.py, CheckpointFunction.
    reentrant: true,
    sequenceParallel: sequenceParallel ?? false,
    copiesAttentionInputs: false,
  }),
};

export const megatronLm: FrameworkProfile<'megatron-lm'> = { ...megatronCore, id: 'megatron-lm' };

/** ms-swift's Megatron-SWIFT (swift/megatron/trainers/base.py at 3602360): Megatron's core, with PEFT's adapters. */
export const msSwiftMegatron: FrameworkProfile<'ms-swift-megatron'> = {
  ...megatronCore,
  id: 'ms-swift-megatron',
};

/** NeMo's recipes on Megatron's core. */
export const nemoMegatron: FrameworkProfile<'nemo-megatron'> = { ...megatronCore, id: 'nemo-megatron' };

/** Its recipes enable sequence parallelism whenever there is tensor parallelism. */
export const megatronBridge: FrameworkProfile<'megatron-bridge'> = {
  ...megatronCore,
  id: 'megatron-bridge',
  behavior: (settings, behavior) =>
    megatronCore.behavior({ ...settings, sequenceParallel: settings.sequenceParallel ?? true }, behavior),
};
