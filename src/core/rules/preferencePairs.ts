import type { Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';

/** Trainers whose samples are a chosen and a rejected answer. */
const PAIRED = ['dpo', 'orpo', 'simpo', 'ipo', 'cpo', 'reward'];

export const preferencePairs: Rule = {
  id: 'preference-pairs',
  severity: 'hint',
  summary: 'A preference sample has two sequences.',
  sources: ['trl 1.13 trainer/dpo_trainer.py: chosen and rejected are concatenated into one batch'],
  dialects: ON_TRAINER,
  check({ run }) {
    const { microBatchSize, task } = run.quantities;
    const micro = microBatchSize.value;
    if (micro === null || !PAIRED.includes(task.value ?? '') || run.details.sequencesPerSample?.value !== 2) {
      return [];
    }
    const message =
      `A micro-batch of ${micro} counts pairs: chosen and rejected answers run together, ${2 * micro} sequences at a time. ` +
      'Memory grows with the number of sequences.';
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};
