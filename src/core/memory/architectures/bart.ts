import type { Architecture } from '../architecture';
import { bartArchitecture } from '../blocks/bart/model';
import { countedPlaces, learnedPlaces, storedPlaces } from '../blocks/bart/positions';

/** Encoder and decoder with learned positions, and norms after each residual. */
export const bart: Architecture = bartArchitecture({
  modelTypes: ['bart'],
  source: 'transformers 5.23.0, models/bart/modeling_bart.py',
  places: learnedPlaces,
  norms: 'after',
  embedNorm: true,
  finalNorm: false,
  logitsBias: true,
});

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

/** Pegasus with positions counted per row (M2M 100, NLLB). */
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

/** BART with sinusoids, without a norm over the embeddings. */
export const marian: Architecture = bartArchitecture({
  modelTypes: ['marian'],
  source: 'transformers 5.23.0, models/marian/modeling_marian.py',
  places: storedPlaces,
  norms: 'after',
  embedNorm: false,
  finalNorm: false,
  logitsBias: true,
});

/** mBART with sinusoids, without a norm over the embeddings. */
export const pegasus: Architecture = bartArchitecture({
  modelTypes: ['pegasus'],
  source: 'transformers 5.23.0, models/pegasus/modeling_pegasus.py',
  places: storedPlaces,
  norms: 'before',
  embedNorm: false,
  finalNorm: true,
  logitsBias: true,
});
