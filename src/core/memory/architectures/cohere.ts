import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';

/** Attention and MLP side by side over one norm. */
export const cohere: Architecture = decoderArchitecture({
  modelTypes: ['cohere', 'cohere2'],
  source: 'transformers 5.23.0, models/cohere/modeling_cohere.py, models/cohere2/modeling_cohere2.py',
  design: commonDesign,
});
