import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildLinearRouter, buildModuleExperts } from '../blocks/moduleExperts';

const kinds: DecoderDesign['kinds'] = ({ slidingWindow }) => [slidingWindow === null ? 'full' : 'sliding'];

/** Llama with experts in place of the MLP. */
export const mixtral: Architecture = decoderArchitecture({
  modelTypes: ['mixtral'],
  source: 'transformers 5.23.0, models/mixtral/modeling_mixtral.py; before 5.0 that of 4.45.2',
  design: {
    ...llamaDesign({
      mlp(builder, { model }) {
        const route = buildSoftmaxRouter(builder, model, { normalises: true, castsBack: false });
        return sparseBlock(route, buildExperts(builder, model));
      },
    }),
    kinds,
  },
  former: {
    ...llamaDesign({
      mlp(builder, run) {
        const route = buildLinearRouter(builder, run, { normalises: true, castsBack: true });
        return sparseBlock(route, buildModuleExperts(builder, run, { gate: 'w1', up: 'w3', down: 'w2' }));
      },
    }),
    kinds,
  },
});
