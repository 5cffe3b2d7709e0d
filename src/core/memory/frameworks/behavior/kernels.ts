import type { Kernels } from './behavior';

export function kernelsOf(names: readonly string[]): Kernels {
  const has = (...wanted: readonly string[]): boolean => wanted.some(name => names.includes(name));
  return {
    rmsNorm: has('liger_rms_norm', 'unsloth_rms_norm'),
    rotary: has('liger_rope', 'unsloth_rope'),
    gatedMlp: has('liger_glu'),
    loraInputs: has('unsloth_lora', 'lora_qkv'),
    loraOutput: has('unsloth_lora', 'lora_o'),
    loraMlp: has('lora_mlp'),
  };
}
