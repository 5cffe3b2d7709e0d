import { formatBytes } from '../units';
import type { Rule, RuleContext } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { change, equals, exactly, from, not, stated, when } from './when';

export const fp32Weights: Rule = {
  id: 'fp32-weights',
  severity: 'hint',
  summary: 'No dtype is set: the weights are held in fp32 although training computes in 16 bits.',
  sources: [
    'trl 0.27 trainer/model_config.py: dtype “float32” by default',
    'transformers 4 modeling_utils.py from_pretrained: float32 unless a dtype is given',
  ],
  dialects: TRAINING_ARGUMENTS,
  check: when(
    [
      exactly('bf16', true),
      equals('loadDtype', 'fp32'),
      from('loadDtype', 'default'),
      not(stated('dtype')),
      not(stated('torch_dtype')),
      unquantised,
    ],
    (quote, { model, run }) => {
      const total = model?.parameters?.total ?? null;
      const size = total === null ? '' : ` (${formatBytes(4 * total)} instead of ${formatBytes(2 * total)})`;
      const frozen = run.quantities.method.value === 'lora';
      const message = frozen
        ? `${quote('bf16')} only concerns the computation: without a dtype the frozen base weights are held in fp32, 4 bytes each${size}. Load them in bfloat16.`
        : `${quote('bf16')} only concerns the computation: without a dtype the weights are loaded in fp32${size}, and unless DeepSpeed takes them over, gradients and optimizer states follow. ` +
          'Loading in bfloat16 halves them, at the price of rounded updates.';
      return {
        at: ['bf16'],
        message,
        remedies: [change('Load the weights in bfloat16', { quantity: 'loadDtype', to: 'bf16' })],
      };
    },
  ),
};

function unquantised({ run }: RuleContext): boolean {
  return run.quantities.quantization.value === null;
}
