import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';

/** Llama with experts in place of the MLP. */
export const mixtral: Architecture = decoderArchitecture({
  modelTypes: ['mixtral'],
  source: 'transformers 5.23.0, models/mixtral/modeling_mixtral.py',
  // Before, experts were modules of their own, run one after the other.
  since: '5.0',
  design: {
    ...llamaDesign({
      mlp(builder, { model }) {
        const route = buildSoftmaxRouter(builder, model, { normalises: true, castsBack: false });
        return sparseBlock(route, buildExperts(builder, model));
      },
    }),
    kinds: ({ slidingWindow }) => [slidingWindow === null ? 'full' : 'sliding'],
  },
});
