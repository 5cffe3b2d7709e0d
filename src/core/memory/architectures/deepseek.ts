import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';

/** Latent attention, experts beside a shared one in all layers but the first. */
export const deepseek: Architecture = decoderArchitecture({
  modelTypes: ['deepseek_v2', 'deepseek_v3', 'kimi_k2', 'glm4_moe_lite'],
  source: 'transformers 5.23.0, models/deepseek_v3/modeling_deepseek_v3.py, models/glm4_moe_lite',
  design: commonDesign,
});
