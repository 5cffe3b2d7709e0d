import type { PublishedRecord } from './publishedRecord';
import type { Measured } from './record';

/** What Liger puts in by default. */
export const LIGER_KERNELS = ['liger_glu', 'liger_rms_norm', 'liger_rope'];

/** fms-acceleration's kernels (configs/fast_*.yaml): loss, RMSNorm and RoPE; for 4-bit bases LoRA, too. */
export function fusedKernels(config: string): readonly string[] {
  const all = ['unsloth_rms_norm', 'unsloth_rope'];
  return config.includes('accelerated-peft') ? [...all, 'unsloth_lora'] : all;
}

/**
 * fms-acceleration ships auto_gptq's triton layers, which no config of a user asks for; transformers picks those that unpack
 * with torch's operations.
 */
export const pluginBehavior = ({ extra }: PublishedRecord): Pick<Measured, 'behavior'> =>
  extra?.['framework_config'] === undefined ? {} : { behavior: { unpacksGptqInTorch: false } };
