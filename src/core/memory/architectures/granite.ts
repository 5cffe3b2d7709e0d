import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildLogitsRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { scale } from '../ops/pointwise';

/** Llama with embeddings, residuals and logits multiplied by numbers. */
export const granite: Architecture = decoderArchitecture({
  modelTypes: ['granite'],
  source: 'transformers 5.23.0, models/granite/modeling_granite.py',
  design: { ...llamaDesign({ change: scale }), embedded: scale, logits: scale },
});

/** Granite 4: attention in some layers or all, Mamba in the others; experts in addition to a shared MLP, or that alone. */
export const graniteHybrid: Architecture = decoderArchitecture({
  modelTypes: ['granitemoehybrid'],
  source: 'transformers 5.23.0, models/granitemoehybrid/modeling_granitemoehybrid.py',
  design: { ...commonDesign, embedded: scale, logits: scale },
});

/** Granite with experts in place of the MLP. */
export const graniteMoe: Architecture = decoderArchitecture({
  modelTypes: ['granitemoe'],
  source: 'transformers 5.23.0, models/granitemoe/modeling_granitemoe.py',
  // Before, tokens were grouped by a loop over the experts.
  since: '5.0',
  design: {
    ...llamaDesign({
      change: scale,
      mlp: (builder, { model }) =>
        sparseBlock(buildLogitsRouter(builder, model), buildExperts(builder, model)),
    }),
    embedded: scale,
    logits: scale,
  },
});
