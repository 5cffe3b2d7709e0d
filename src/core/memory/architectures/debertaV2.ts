import type { Architecture } from '../architecture';
import { buildDebertaAttention } from '../blocks/deberta/attention';
import { debertaArchitecture } from '../blocks/deberta/architecture';

/** BERT whose scores have products of tokens and distances beside those of tokens; attention makes every score. */
export const debertaV2: Architecture = debertaArchitecture({
  modelTypes: ['deberta-v2'],
  source: 'transformers 5.23.0, models/deberta_v2/modeling_deberta_v2.py',
  attention: buildDebertaAttention,
});
