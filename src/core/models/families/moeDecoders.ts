import { countDecoder } from '../countDecoder';
import type { ModelFacts } from '../model';
import type { ConfigValues } from './config';
import { llama, mistral } from './decoders';
import type { Families, Family, MoeKeys } from './family';

const mixtralExperts: MoeKeys = { experts: ['num_local_experts', 'num_experts'], width: 'intermediate_size' };
const qwenExperts: MoeKeys = {
  experts: ['num_experts', 'num_local_experts'],
  width: 'moe_intermediate_size',
};

const deepseekExperts: MoeKeys = {
  experts: ['n_routed_experts', 'num_local_experts'],
  width: 'moe_intermediate_size',
  sharedExperts: 'n_shared_experts',
};
const balancedExperts: MoeKeys = { ...deepseekExperts, scoreCorrection: true };

/** DeepSeek's multi-head latent attention; its biases, which no published model has, are not modelled. */
const latent: Family = {
  ...mistral,
  mla: true,
  adjust: latentHeads,
  refuse: values =>
    values.flag('attention_bias') ? 'attention_bias with latent attention is not supported' : null,
};

const sparse: Family = { ...latent, moe: balancedExperts, adjust: sparseIndexer };

/** Decoders with experts. Modeling code as of transformers 5.23. */
export const moeDecoders: Families = {
  mixtral: { ...mistral, moe: mixtralExperts },
  qwen2_moe: {
    ...mistral,
    qkvBias: 'qkv_bias',
    moe: { ...qwenExperts, sharedWidth: 'shared_expert_intermediate_size', sharedGate: true },
  },
  qwen3_moe: { ...llama, mlpBias: false, qkNorm: 'head', moe: qwenExperts },
  olmoe: {
    ...llama,
    mlpBias: false,
    qkNorm: 'full',
    moe: { experts: ['num_experts'], width: 'intermediate_size' },
  },
  granitemoe: { ...llama, mlpBias: false, moe: mixtralExperts },
  granitemoehybrid: {
    ...llama,
    mlpBias: false,
    count: model => (model.kind === 'decoder' && !model.moe ? countDecoder(model) : null),
    keys: { intermediateSize: ['shared_intermediate_size', 'intermediate_size'] },
    adjust: hybrid,
    refuse: values =>
      values.count('num_local_experts') > 0 ? 'granitemoehybrid with experts is not supported' : null,
  },
  phimoe: {
    ...llama,
    mlpBias: false,
    norm: 'layernorm',
    moe: mixtralExperts,
  },
  gpt_oss: {
    ...llama,
    mlpBias: false,
    moe: { ...mixtralExperts, routerBias: true, expertBias: true },
    extra: { attention_sinks: true },
  },
  glm4_moe: {
    ...mistral,
    qkvBias: 'attention_bias',
    qkNorm: 'head',
    qkNormWhen: 'use_qk_norm',
    moe: balancedExperts,
  },
  minimax_m2: { ...mistral, qkNorm: 'full', moe: { ...mixtralExperts, scoreCorrection: true } },
  deepseek: { ...mistral, moe: deepseekExperts },
  deepseek_v2: { ...latent, moe: deepseekExperts },
  deepseek_v3: { ...latent, moe: balancedExperts },
  deepseek_v32: sparse,
  kimi_k2: { ...latent, moe: balancedExperts },
  glm4_moe_lite: { ...latent, moe: balancedExperts },
  glm_moe_dsa: sparse,
};

/** Granite 4 with attention in every layer is a dense decoder; with Mamba layers it is not counted here. */
function hybrid(values: ConfigValues): Partial<ModelFacts> {
  const mamba = [...values.list('layer_types'), ...values.list('layers_block_type')].includes('mamba');
  return mamba ? { kind: 'state-space' } : {};
}

/** A head's queries and keys have a rotary part and one without; configs state either, or neither. */
function latentHeads(_: ConfigValues, { mla }: ModelFacts): Partial<ModelFacts> {
  return mla ? { headDim: mla.qkNopeHeadDim + mla.qkRopeHeadDim } : {};
}

function sparseIndexer(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const indexer = {
    n_heads: values.size('index_n_heads'),
    head_dim: values.size('index_head_dim'),
    topk: values.size('index_topk'),
  };
  return { ...latentHeads(values, model), extra: { ...model.extra, sparse_indexer: indexer } };
}
