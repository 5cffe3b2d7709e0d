import type { Rule } from './rule';
import { change } from './when';

export const flashAttentionUnsupported: Rule = {
  id: 'flash-attention-unsupported',
  severity: 'error',
  summary: 'FlashAttention-2 does not run on the chosen GPU.',
  sources: ['flash-attention 2: “FlashAttention only supports Ampere GPUs or newer.” (RuntimeError)'],
  check({ run, target }) {
    const { attention } = run.quantities;
    const gpu = target?.gpu;
    if (gpu?.supports.flashAttention2 !== false || attention.value !== 'flash_attention_2') return [];
    if (attention.origin.kind !== 'file' && attention.origin.kind !== 'referenced') return [];
    const message =
      `FlashAttention-2 stops with an error on ${gpu.label}, which its kernels do not support. ` +
      'Use sdpa there: PyTorch then takes its memory-efficient kernel.';
    const remedies = [change('Use sdpa attention', { quantity: 'attention', to: 'sdpa' })];
    return [{ at: ['quantity:attention'], message, remedies }];
  },
};
