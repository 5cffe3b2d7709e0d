import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { storedPlaces } from '../blocks/bart/positions';

/** BART with sinusoids, and no norm over the embeddings. */
export const marian: Architecture = bartArchitecture({
  modelTypes: ['marian'],
  source: 'transformers 5.23.0, models/marian/modeling_marian.py',
  places: storedPlaces,
  norms: 'after',
  embedNorm: false,
  finalNorm: false,
  logitsBias: true,
});
