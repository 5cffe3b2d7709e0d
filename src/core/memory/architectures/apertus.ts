import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildPlainMlp } from '../blocks/mlp';

/** Llama with norms over each head and an MLP without a gate. */
export const apertus: Architecture = decoderArchitecture({
  modelTypes: ['apertus'],
  source: 'transformers 5.23.0, models/apertus/modeling_apertus.py',
  design: llamaDesign({
    headNorms: true,
    mlp: (builder, { model }) => buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' }),
  }),
});
