import type { Rule } from './rule';
import { RUNS } from './dialectGroups';

export const noEstimate: Rule = {
  id: 'no-estimate',
  severity: 'hint',
  summary: 'A fact is missing without which memory cannot be estimated.',
  sources: ['the memory model names the facts it needs'],
  dialects: RUNS,
  check({ run, model, estimate, missing }) {
    // A model that is named and not found has a rule of its own.
    const modelIsWhy = model === null && run.quantities.model.value !== null;
    if (estimate || modelIsWhy || missing.length === 0) return [];
    const message = `No memory estimate yet; missing: ${missing.join('; ')}.`;
    return [{ at: ['quantity:model', 'quantity:microBatchSize'], message }];
  },
};
