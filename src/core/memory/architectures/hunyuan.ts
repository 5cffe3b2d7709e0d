import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';

/** Llama with norms over each head, after the rotation. */
export const hunyuan: Architecture = decoderArchitecture({
  modelTypes: ['hunyuan_v1_dense'],
  source: 'transformers 5.23.0, models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py',
  design: llamaDesign({ headNorms: 'after rotation' }),
});
