import { countDecoder } from '../countDecoder';
import type { Families, Family } from './family';

/** Llama's block: RMSNorm, rotary positions, gated MLP, biases only if the config asks for them. */
export const llama: Family = {
  kind: 'decoder',
  norm: 'rmsnorm',
  normsPerLayer: 2,
  positions: 'rope',
  qkvBias: 'attention_bias',
  attentionOutBias: 'attention_bias',
  mlpBias: 'mlp_bias',
  gatedMlp: true,
  count: countDecoder,
};

/** Llama's block without any bias. */
export const mistral: Family = { ...llama, qkvBias: false, attentionOutBias: false, mlpBias: false };

const gemma: Family = { ...llama, mlpBias: false, activation: ['hidden_activation', 'hidden_act'] };

/** LayerNorm and biases everywhere, a plain MLP four times as wide. */
export const layerNormBlock: Family = {
  kind: 'decoder',
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'rope',
  qkvBias: true,
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  widthFactor: 4,
  count: countDecoder,
};

/** Dense decoders like Llama. Modeling code as of transformers 5.23. */
export const llamaLike: Families = {
  llama,
  mistral,
  ministral: mistral,
  ministral3: mistral,
  qwen2: { ...mistral, qkvBias: true },
  qwen3: { ...llama, mlpBias: false, qkNorm: 'head' },
  gemma,
  gemma2: { ...gemma, normsPerLayer: 4 },
  gemma3_text: { ...gemma, normsPerLayer: 4, qkNorm: 'head' },
  phi3: mistral,
  granite: llama,
  olmo: { ...llama, mlpBias: false, norm: 'none' },
  olmo2: { ...llama, mlpBias: false, qkNorm: 'full' },
  olmo3: { ...llama, mlpBias: false, qkNorm: 'full' },
  glm: { ...mistral, qkvBias: 'attention_bias' },
  glm4: { ...mistral, qkvBias: 'attention_bias', normsPerLayer: 4 },
  helium: { ...llama, attentionOutBias: false },
  cohere: {
    ...llama,
    mlpBias: false,
    norm: 'layernorm-no-bias',
    normsPerLayer: 1,
    qkNorm: 'each-head',
    qkNormWhen: 'use_qk_norm',
    extra: { parallel_residual: true },
  },
  cohere2: {
    ...llama,
    mlpBias: false,
    norm: 'layernorm-no-bias',
    normsPerLayer: 1,
    extra: { parallel_residual: true },
  },
  ernie4_5: { ...llama, qkvBias: 'use_bias', attentionOutBias: 'use_bias', mlpBias: 'use_bias' },
  arcee: { ...llama, gatedMlp: false },
  nemotron: { ...llama, norm: 'layernorm', gatedMlp: false },
  // Its activation has two parameters.
  apertus: { ...llama, mlpBias: false, gatedMlp: false, qkNorm: 'head' },
  seed_oss: { ...llama, attentionOutBias: 'attention_out_bias' },
  smollm3: llama,
  exaone4: { ...mistral, qkNorm: 'head' },
  hunyuan_v1_dense: { ...llama, mlpBias: false, qkNorm: 'head' },
  internlm2: { ...mistral, qkvBias: 'bias', attentionOutBias: 'bias' },
  stablelm: {
    ...mistral,
    norm: 'layernorm',
    qkvBias: 'use_qkv_bias',
    qkNorm: 'each-head',
    qkNormWhen: 'qk_layernorm',
    adjust: values => (values.flag('use_parallel_residual') ? { normsPerLayer: 1 } : {}),
  },
};
