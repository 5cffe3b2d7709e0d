import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { splitThenHeads } from '../blocks/fusedProjections';
import { gptDesign } from '../blocks/gptDesign';

/** Learned positions, LayerNorm, one projection for query, key and value, dropout. */
export const gpt2: Architecture = decoderArchitecture({
  modelTypes: ['gpt2'],
  source: 'transformers 5.23.0, models/gpt2/modeling_gpt2.py',
  design: gptDesign({ project: splitThenHeads, softmax: 'own, cast back' }),
});
