import type { Rule } from './rule';

export const noEstimate: Rule = {
  id: 'no-estimate',
  severity: 'hint',
  summary: 'A fact that the memory estimate needs is missing.',
  sources: ['the memory model names the facts it needs'],
  check({ model, estimate, missing }) {
    // A model that is named and not found has a rule of its own; where none is named there is nothing to complete.
    if (estimate || model === null || missing.length === 0) return [];
    const message = `No memory estimate. Missing: ${missing.join('; ')}.`;
    return [{ at: ['quantity:model', 'quantity:microBatchSize'], message }];
  },
};
