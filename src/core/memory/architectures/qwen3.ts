import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';

/** Llama with a norm over each head of queries and keys. */
export const qwen3: Architecture = decoderArchitecture({
  modelTypes: ['qwen3'],
  source: 'transformers 5.23.0, models/qwen3/modeling_qwen3.py',
  design: llamaDesign({ headNorms: true }),
});
