import type { Rule, RuleContext } from './rule';
import { TRL } from './dialectGroups';
import { change, exactly, not, on, stated, when } from './when';

export const fp32QuantisedCompute: Rule = {
  id: 'fp32-quantised-compute',
  severity: 'information',
  summary: 'No dtype is set: the 4-bit model computes in fp32.',
  sources: [
    'trl 1.13 trainer/utils.py get_quantization_config: bnb_4bit_compute_dtype = model_args.dtype',
    'trl 0.27 trainer/model_config.py: dtype “float32” by default',
  ],
  dialects: TRL,
  check: when(
    [
      on('load_in_4bit', 'use_peft'),
      exactly('bf16', true),
      not(stated('dtype')),
      not(stated('torch_dtype')),
      computesInFp32,
    ],
    quote => ({
      at: ['load_in_4bit'],
      message:
        `${quote('load_in_4bit')} without a dtype makes bitsandbytes compute in fp32, in spite of ${quote('bf16')}: slower, and the unquantized parts take twice the memory. ` +
        'Set the dtype to bfloat16.',
      remedies: [change('Set the dtype to bfloat16', { quantity: 'loadDtype', to: 'bf16' })],
    }),
  ),
};

function computesInFp32({ run }: RuleContext): boolean {
  return run.quantities.quantization.value?.computeDtype === 'fp32';
}
