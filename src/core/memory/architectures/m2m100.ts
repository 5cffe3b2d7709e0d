import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { countedPlaces } from '../blocks/bart/positions';

/** Pegasus with positions counted row by row (M2M 100, NLLB). */
export const m2m100: Architecture = bartArchitecture({
  modelTypes: ['m2m_100'],
  source: 'transformers 5.23.0, models/m2m_100/modeling_m2m_100.py',
  places: countedPlaces,
  norms: 'before',
  embedNorm: false,
  finalNorm: true,
  logitsBias: false,
  attentionDropout: 0.1,
});
