import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildLogitsRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { scale } from '../ops/pointwise';

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
