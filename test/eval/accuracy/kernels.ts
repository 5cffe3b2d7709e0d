/** What Liger puts in by default. */
export const LIGER_KERNELS = ['liger_glu', 'liger_rms_norm', 'liger_rope'];

/** fms-acceleration's kernels (configs/fast_*.yaml): loss, RMSNorm and RoPE; for 4-bit bases LoRA, too. */
export function fusedKernels(config: string): readonly string[] {
  const all = ['unsloth_rms_norm', 'unsloth_rope'];
  return config.includes('accelerated-peft') ? [...all, 'unsloth_lora'] : all;
}
