import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/**
 * Transformers' code, patched: fused kernels, and a loss that never holds all logits where memory is short
 * (unsloth_zoo/fused_losses/cross_entropy_loss.py: chunks of at most half of what is free, and the gradient at once).
 */
export const unsloth: FrameworkProfile<'unsloth'> = {
  ...usual,
  id: 'unsloth',
  // unsloth/device_type.py: cuda, hip and xpu.
  makers: ['NVIDIA', 'AMD', 'Intel'],
  silencesDropout: true,
  // What is not `unsloth_cross_entropy`, its loss before the fused one.
  loss: () => 'liger',
  // unsloth/kernels: rms_layernorm.py, rope_embedding.py, swiglu.py, fast_lora.py.
  behavior: () => ({
    ownModelCode: true,
    loss: { kind: 'fused linear', upcast: true },
    kernels: {
      rmsNorm: true,
      rotary: true,
      gatedMlp: true,
      loraInputs: false,
      loraOutput: false,
      loraMlp: false,
    },
  }),
};
