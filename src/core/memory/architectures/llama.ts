import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildPlainMlp } from '../blocks/mlp';
import { stated } from '../configValues';

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export const llama: Architecture = decoderArchitecture({
  modelTypes: ['llama', 'qwen2'],
  source: 'transformers 5.23.0, models/llama/modeling_llama.py',
  design: llamaDesign(),
});

/** Llama with a sliding window. */
export const mistral: Architecture = decoderArchitecture({
  modelTypes: ['mistral', 'ministral', 'ministral3'],
  source: 'transformers 5.23.0, models/mistral/modeling_mistral.py',
  design: { ...llamaDesign(), kinds: () => ['sliding'] },
});

/** Llama with an ungated MLP (AFM). */
export const arcee: Architecture = decoderArchitecture({
  modelTypes: ['arcee'],
  source: 'transformers 5.23.0, models/arcee/modeling_arcee.py',
  design: llamaDesign({
    mlp: (builder, { model }) => buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' }),
  }),
});

/** Llama with norms per head and an ungated MLP. */
export const apertus: Architecture = decoderArchitecture({
  modelTypes: ['apertus'],
  source: 'transformers 5.23.0, models/apertus/modeling_apertus.py',
  design: llamaDesign({
    headNorms: true,
    mlp: (builder, { model }) => buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' }),
  }),
});

/** Llama with biases and, if the config has it, residual dropout. */
export const seedOss: Architecture = decoderArchitecture({
  modelTypes: ['seed_oss'],
  source: 'transformers 5.23.0, models/seed_oss/modeling_seed_oss.py',
  design: llamaDesign({ residualDropout: model => stated(model, 'residual_dropout', 0.1) }),
});

/** Llama with some layers without positions, which are modeled like the others. */
export const smollm3: Architecture = decoderArchitecture({
  modelTypes: ['smollm3'],
  source: 'transformers 5.23.0, models/smollm3/modeling_smollm3.py',
  design: llamaDesign(),
});

/** Llama with norms per head after the rotation. */
export const hunyuan: Architecture = decoderArchitecture({
  modelTypes: ['hunyuan_v1_dense'],
  source: 'transformers 5.23.0, models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py',
  design: llamaDesign({ headNorms: 'after rotation' }),
});

/** Attention and MLP in parallel over one norm. */
export const cohere: Architecture = decoderArchitecture({
  modelTypes: ['cohere', 'cohere2'],
  source: 'transformers 5.23.0, models/cohere/modeling_cohere.py, models/cohere2/modeling_cohere2.py',
  design: commonDesign,
});
