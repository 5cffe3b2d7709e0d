import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildWideRmsNorm } from '../blocks/norm';

/** Experts with biases in every layer, windows in every other; its attention has sinks, which SDPA does not know. */
export const gptOss: Architecture = decoderArchitecture({
  modelTypes: ['gpt_oss'],
  source: 'transformers 5.23.0, models/gpt_oss/modeling_gpt_oss.py',
  attention: 'eager',
  design: { ...commonDesign, norm: buildWideRmsNorm },
});
