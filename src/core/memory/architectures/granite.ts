import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildLogitsRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { scale } from '../ops/pointwise';

/** Llama with scaled embeddings, residuals and logits. */
export const granite: Architecture = decoderArchitecture({
  modelTypes: ['granite'],
  source: 'transformers 5.23.0, models/granite/modeling_granite.py',
  design: { ...llamaDesign({ change: scale }), embedded: scale, logits: scale },
});

/**
 * Granite 4: attention in some or all layers, Mamba in the others; experts next to a shared MLP, or only the MLP.
 */
export const graniteHybrid: Architecture = decoderArchitecture({
  modelTypes: ['granitemoehybrid'],
  source: 'transformers 5.23.0, models/granitemoehybrid/modeling_granitemoehybrid.py',
  design: { ...commonDesign, embedded: scale, logits: scale },
});

/** Granite with experts instead of the MLP. */
export const graniteMoe: Architecture = decoderArchitecture({
  modelTypes: ['granitemoe'],
  source: 'transformers 5.23.0, models/granitemoe/modeling_granitemoe.py',
  // Before, a loop over the experts grouped the tokens.
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
