import { formatBytes } from '../units';
import type { Dtype } from '../spec/values';
import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { setKey } from './when';

const BYTES: Readonly<Record<Dtype, number>> = { fp32: 4, bf16: 2, fp16: 2, fp8: 1, int8: 1 };

export const referenceModelCopy: Rule = {
  id: 'reference-model-copy',
  severity: 'hint',
  summary: 'A second, frozen copy of the model is loaded as the reference.',
  sources: [
    'trl 1.13 trainer/dpo_trainer.py L919: no copy with PEFT (the adapter is switched off) or precompute_ref_log_probs',
  ],
  dialects: TRL,
  check({ run, model }) {
    const { task, loadDtype, quantization } = run.quantities;
    if (task.value !== 'dpo' || run.details.referenceModel?.value !== true) return [];
    const total = model?.parameters?.total ?? null;
    const known = total !== null && loadDtype.value !== null && quantization.value === null;
    const size = known ? `, ${formatBytes(total * BYTES[loadDtype.value])} more` : '';
    const message =
      `DPO loads a second, frozen copy of the model as reference${size}. ` +
      'precompute_ref_log_probs computes its part before training and drops it; LoRA needs none.';
    return [{ at: ['quantity:model'], message, remedies: [setKey('precompute_ref_log_probs', true)] }];
  },
};
