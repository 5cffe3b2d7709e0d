import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';

/** Llama with norms over all queries and keys, and experts. */
export const olmoe: Architecture = decoderArchitecture({
  modelTypes: ['olmoe'],
  source: 'transformers 5.23.0, models/olmoe/modeling_olmoe.py',
  design: commonDesign,
});
