import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export const llama: Architecture = decoderArchitecture({
  modelTypes: ['llama', 'qwen2'],
  source: 'transformers 5.23.0, models/llama/modeling_llama.py',
  design: llamaDesign(),
});
