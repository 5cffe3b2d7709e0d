import type { Quantity } from '../spec/quantity';
import type { Rule } from './rule';
import { textOf } from './raw';
import { quoted } from './when';

export const bf16Unsupported: Rule = {
  id: 'bf16-unsupported',
  severity: 'warning',
  summary: 'The chosen GPU has no bfloat16 units.',
  sources: [
    "transformers 5.18 training_args.py _validate_args: “Your setup doesn't support bf16/gpu. You need Ampere+ GPU”",
    'torch.cuda.is_bf16_supported(including_emulation=True)',
  ],
  check(context) {
    const { run, target } = context;
    const { precision, precisionRaw } = run.quantities;
    if (target?.gpu?.supports.bf16 !== false || !isWritten(precision)) return [];
    // `auto` asks the GPU and falls back to fp16.
    if (!precision.value?.startsWith('bf16') || textOf(context, 'bf16') === 'auto') return [];
    const what = precisionRaw.value === null ? 'bfloat16' : quoted(context, 'bf16');
    const message =
      `${target.gpu.label} has no bfloat16 units: with ${what} training refuses to start on older PyTorch releases, and newer ones emulate ` +
      'it slowly. Train in fp16 there, or choose a GPU that has them (NVIDIA: Ampere and newer).';
    return [{ at: ['quantity:precision'], message }];
  },
};

function isWritten({ origin }: Quantity<unknown>): boolean {
  return origin.kind === 'file' || origin.kind === 'referenced';
}
