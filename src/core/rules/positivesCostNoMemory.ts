import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';
import { numberOf } from './raw';
import { quoted } from './when';

/** The largest value the guide itself sets; more is taken for an attempt to use memory. */
const USUAL = 32;

export const positivesCostNoMemory: Rule = {
  id: 'positives-cost-no-memory',
  severity: 'information',
  summary: '`n_positives` does not change memory: it adds samples, not batch size.',
  sources: [
    'lowmason/naics-embedder e418955 data_loader/streaming_dataset.py L205: n_positives rows per anchor, each a sample of its own',
    'the same, data_loader/datamodule.py L43: a sample holds an anchor, one positive and n_negatives negatives',
  ],
  dialects: GUIDE,
  check(context) {
    const positives = numberOf(context, 'n_positives');
    if (positives === null || positives <= USUAL) return [];
    const message =
      `${quoted(context, 'n_positives')} does not change memory: each positive becomes a separate sample, and an epoch gets longer. ` +
      'Memory follows batch_size × (2 + n_negatives).';
    return [{ at: ['n_positives'], message }];
  },
};
