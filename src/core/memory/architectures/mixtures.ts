import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter, sparseBlock } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildLinearRouter, buildModuleExperts } from '../blocks/moduleExperts';
import { buildWideRmsNorm } from '../blocks/norm';

const kinds: DecoderDesign['kinds'] = ({ slidingWindow }) => [slidingWindow === null ? 'full' : 'sliding'];

/** Llama with experts instead of the MLP. */
export const mixtral: Architecture = decoderArchitecture({
  modelTypes: ['mixtral'],
  source: 'transformers 5.23.0, models/mixtral/modeling_mixtral.py; before 5.0 that of 4.45.2',
  design: {
    ...llamaDesign({
      mlp(builder, { model }) {
        const route = buildSoftmaxRouter(builder, model, { normalizes: true, castsBack: false });
        return sparseBlock(route, buildExperts(builder, model));
      },
    }),
    kinds,
  },
  former: {
    ...llamaDesign({
      mlp(builder, run) {
        const route = buildLinearRouter(builder, run, { normalizes: true, castsBack: true });
        return sparseBlock(route, buildModuleExperts(builder, run, { gate: 'w1', up: 'w3', down: 'w2' }));
      },
    }),
    kinds,
  },
});

/** Latent attention, and experts next to a shared one in all layers but the first. */
export const deepseek: Architecture = decoderArchitecture({
  modelTypes: ['deepseek_v2', 'deepseek_v3', 'kimi_k2', 'glm4_moe_lite'],
  source: 'transformers 5.23.0, models/deepseek_v3/modeling_deepseek_v3.py, models/glm4_moe_lite',
  design: commonDesign,
});

/** Experts with biases in every layer, windows in every other; attention has sinks, which SDPA does not support. */
export const gptOss: Architecture = decoderArchitecture({
  modelTypes: ['gpt_oss'],
  source: 'transformers 5.23.0, models/gpt_oss/modeling_gpt_oss.py',
  attention: 'eager',
  design: { ...commonDesign, norm: buildWideRmsNorm },
});

/** Llama with norms over whole queries and keys, and experts. */
export const olmoe: Architecture = decoderArchitecture({
  modelTypes: ['olmoe'],
  source: 'transformers 5.23.0, models/olmoe/modeling_olmoe.py',
  design: commonDesign,
});

/** LayerNorm, and experts instead of the MLP. */
export const phimoe: Architecture = decoderArchitecture({
  modelTypes: ['phimoe'],
  source: 'transformers 5.23.0, models/phimoe/modeling_phimoe.py',
  design: commonDesign,
});

/** Experts next to a shared one; rotation in three of four layers, whose windows are longer than most contexts. */
export const llama4: Architecture = decoderArchitecture({
  modelTypes: ['llama4_text'],
  source: 'transformers 5.23.0, models/llama4/modeling_llama4.py',
  design: commonDesign,
});

/** Half of each head rotated, and experts next to a shared one in all layers but the first. */
export const glm4Moe: Architecture = decoderArchitecture({
  modelTypes: ['glm4_moe'],
  source: 'transformers 5.23.0, models/glm4_moe/modeling_glm4_moe.py',
  design: commonDesign,
});
