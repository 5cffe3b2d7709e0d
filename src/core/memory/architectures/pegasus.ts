import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { storedPlaces } from '../blocks/bart/positions';

/** mBART with sinusoids, and no norm over the embeddings. */
export const pegasus: Architecture = bartArchitecture({
  modelTypes: ['pegasus'],
  source: 'transformers 5.23.0, models/pegasus/modeling_pegasus.py',
  places: storedPlaces,
  norms: 'before',
  embedNorm: false,
  finalNorm: true,
  logitsBias: true,
});
