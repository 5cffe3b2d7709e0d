import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildPlainMlp } from '../blocks/mlp';

/** Llama with an MLP without a gate (AFM). */
export const arcee: Architecture = decoderArchitecture({
  modelTypes: ['arcee'],
  source: 'transformers 5.23.0, models/arcee/modeling_arcee.py',
  design: llamaDesign({
    mlp: (builder, { model }) => buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' }),
  }),
});
