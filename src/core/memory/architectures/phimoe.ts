import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';

/** LayerNorm, experts in place of the MLP. */
export const phimoe: Architecture = decoderArchitecture({
  modelTypes: ['phimoe'],
  source: 'transformers 5.23.0, models/phimoe/modeling_phimoe.py',
  design: commonDesign,
});
