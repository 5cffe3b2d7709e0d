import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { learnedPlaces } from '../blocks/bart/positions';

/** BART with norms before attention and MLP. */
export const mbart: Architecture = bartArchitecture({
  modelTypes: ['mbart'],
  source: 'transformers 5.23.0, models/mbart/modeling_mbart.py',
  places: learnedPlaces,
  norms: 'before',
  embedNorm: true,
  finalNorm: true,
  logitsBias: true,
});
