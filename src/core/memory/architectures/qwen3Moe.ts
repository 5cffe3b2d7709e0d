import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';

/** Qwen3 with experts in place of the MLP. */
export const qwen3Moe: Architecture = decoderArchitecture({
  modelTypes: ['qwen3_moe'],
  source: 'transformers 5.23.0, models/qwen3_moe/modeling_qwen3_moe.py',
  // Before, experts were modules of their own, run one after the other.
  since: '5.0',
  missing: ({ moe, layers }) => (moe?.layers === layers ? [] : ['the memory of layers without experts']),
  design: llamaDesign({
    headNorms: true,
    mlp(builder, { model }) {
      const experts = buildExperts(builder, model);
      const normalises = model.extra['norm_topk_prob'] === true;
      return sparseBlock(buildSoftmaxRouter(builder, model, { normalises, castsBack: true }), experts);
    },
  }),
});
