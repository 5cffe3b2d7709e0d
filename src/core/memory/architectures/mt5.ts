import type { Architecture } from '../architecture';
import { buildT5 } from '../blocks/t5/model';

/** T5 with many languages: nothing is scaled before the head. */
export const mt5: Architecture = {
  modelTypes: ['mt5'],
  source: 'transformers 5.23.0, models/mt5/modeling_mt5.py',
  // Before, the bias was added to the scores in the model's own attention, which was always eager.
  since: '5.0',
  hasLayers: true,
  heads: ['seq2seq'],
  missing: () => [],
  build: (builder, run) => buildT5(builder, run, false),
};
