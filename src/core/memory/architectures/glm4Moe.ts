import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';

/** Half of each head turned, experts beside a shared one in all layers but the first. */
export const glm4Moe: Architecture = decoderArchitecture({
  modelTypes: ['glm4_moe'],
  source: 'transformers 5.23.0, models/glm4_moe/modeling_glm4_moe.py',
  design: commonDesign,
});
