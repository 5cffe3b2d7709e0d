import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';
import { scale } from '../ops/pointwise';

/** Llama with embeddings, residuals and logits multiplied by numbers. */
export const granite: Architecture = decoderArchitecture({
  modelTypes: ['granite'],
  source: 'transformers 5.23.0, models/granite/modeling_granite.py',
  design: { ...llamaDesign({ change: scale }), embedded: scale, logits: scale },
});
