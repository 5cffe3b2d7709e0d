import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { gemmaDesign } from '../blocks/gemmaDesign';

/** Llama with norms of its own kind and scaled embeddings. */
export const gemma: Architecture = decoderArchitecture({
  modelTypes: ['gemma'],
  source: 'transformers 5.23.0, models/gemma/modeling_gemma.py',
  design: gemmaDesign({}),
});
