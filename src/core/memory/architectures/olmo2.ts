import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildWideRmsNorm } from '../blocks/norm';
import { normedAfterDesign } from '../blocks/normedAfterDesign';

/** Norms after attention and MLP, and over all queries and keys; in OLMo 3 windows in most layers. */
export const olmo2: Architecture = decoderArchitecture({
  modelTypes: ['olmo2', 'olmo3'],
  source: 'transformers 5.23.0, models/olmo2/modeling_olmo2.py, models/olmo3/modeling_olmo3.py',
  design: normedAfterDesign(buildWideRmsNorm),
});
