import type { Architecture } from '../architecture';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { bertEmbeddings, sharedRows } from '../blocks/encoderEmbeddings';

/** Positions from a buffer; the pooled first token is classified. */
export const bert: Architecture = encoderArchitecture({
  modelTypes: ['bert'],
  source: 'transformers 5.23.0, models/bert/modeling_bert.py',
  pooled: ['base', 'sequence-classification'],
  embeddings: bertEmbeddings(sharedRows),
});
