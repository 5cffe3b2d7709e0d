import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { learnedPlaces } from '../blocks/bart/positions';

/** An encoder and a decoder: learned positions, norms after each residual. */
export const bart: Architecture = bartArchitecture({
  modelTypes: ['bart'],
  source: 'transformers 5.23.0, models/bart/modeling_bart.py',
  places: learnedPlaces,
  norms: 'after',
  embedNorm: true,
  finalNorm: false,
  logitsBias: true,
});
