import type { Dtype } from '../spec/values';
import { formatBytes } from '../units';
import { AXOLOTL, ON_TRAINER, TRL } from './rule';
import type { Rule } from './rule';
import { exactly, is, not, readable, setKey, when } from './when';

/** Trainers with pairs of a chosen and a rejected answer. */
const PAIRED = ['dpo', 'orpo', 'simpo', 'ipo', 'cpo', 'reward'];

export const preferencePairs: Rule = {
  id: 'preference-pairs',
  severity: 'hint',
  summary: 'A preference sample has two sequences.',
  sources: ['trl 1.13 trainer/dpo_trainer.py: chosen and rejected are concatenated into one batch'],
  dialects: ON_TRAINER,
  check({ run, say }) {
    const { microBatchSize, task } = run.quantities;
    const micro = microBatchSize.value;
    if (micro === null || !PAIRED.includes(task.value ?? '') || run.details.sequencesPerSample?.value !== 2) {
      return [];
    }
    const message = say(
      'A micro-batch of {0} means pairs: {1} sequences run at a time, chosen and rejected. Memory grows with the number of sequences.',
      micro,
      2 * micro,
    );
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};

const KEY = 'remove_unused_columns';

export const ktoColumns: Rule = {
  id: 'kto-columns',
  severity: 'error',
  summary: '`rl: kto` needs `remove_unused_columns: false`.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_kto_config'],
  dialects: AXOLOTL,
  check: when([is('rl', 'kto'), readable(KEY), not(exactly(KEY, false))], (quote, { say }) => ({
    at: [KEY, 'rl'],
    message: say('Axolotl rejects {0} unless remove_unused_columns is false. Set it.', quote('rl')),
    remedies: [setKey(KEY, false)],
  })),
};

const BYTES: Readonly<Record<Dtype, number>> = { fp32: 4, bf16: 2, fp16: 2, fp8: 1, int8: 1 };

export const referenceModelCopy: Rule = {
  id: 'reference-model-copy',
  severity: 'hint',
  summary: 'A second, frozen copy of the model is loaded as the reference.',
  sources: [
    'trl 1.13 trainer/dpo_trainer.py L919: no copy with PEFT (the adapter is switched off) or precompute_ref_log_probs',
  ],
  dialects: TRL,
  check({ run, model, say }) {
    const { task, loadDtype, quantization } = run.quantities;
    if (task.value !== 'dpo' || run.details.referenceModel?.value !== true) return [];
    const total = model?.parameters?.total ?? null;
    const known = total !== null && loadDtype.value !== null && quantization.value === null;
    const message = known
      ? say(
          'DPO loads a second, frozen copy of the model as reference, {0} more. precompute_ref_log_probs computes its part before training and drops it; LoRA needs none.',
          formatBytes(total * BYTES[loadDtype.value]),
        )
      : say(
          'DPO loads a second, frozen copy of the model as reference. precompute_ref_log_probs computes its part before training and drops it; LoRA needs none.',
        );
    return [{ at: ['quantity:model'], message, remedies: [setKey('precompute_ref_log_probs', true)] }];
  },
};
