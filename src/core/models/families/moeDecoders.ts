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

/** DeepSeek's multi-head latent attention. Its biases are not modeled because no published model has them. */
const latent: Family = {
  ...mistral,
  mla: true,
  adjust: latentHeads,
  refuse: values =>
    values.flag('attention_bias') ? 'attention_bias with latent attention is not supported' : null,
};

/** LFM2: short convolutions in most layers, which are not counted here. */
const convolving: Family = { ...mistral, kind: 'state-space', qkNorm: 'head', count: null };

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
    moe: { ...mixtralExperts, sharedWidth: 'shared_intermediate_size' },
    adjust: hybrid,
  },
  lfm2: { ...convolving, adjust: lfm2 },
  lfm2_moe: { ...convolving, moe: { ...qwenExperts, firstDense: 'num_dense_layers' } },
  qwen3_next: {
    ...mistral,
    kind: 'state-space',
    qkNorm: 'head',
    count: null,
    moe: { ...qwenExperts, sharedWidth: 'shared_expert_intermediate_size', sharedGate: true },
  },
  afmoe: {
    ...mistral,
    qkNorm: 'head',
    normsPerLayer: 4,
    count: null,
    moe: {
      ...qwenExperts,
      sharedExperts: 'num_shared_experts',
      scoreCorrection: true,
      firstDense: 'num_dense_layers',
    },
  },
  kimi_linear: {
    ...mistral,
    kind: 'state-space',
    mla: true,
    count: null,
    adjust: deltaLayers,
    moe: {
      experts: ['num_experts'],
      width: 'moe_intermediate_size',
      latent: 'routed_expert_hidden_size',
      sharedExperts: 'num_shared_experts',
      scoreCorrection: true,
      perToken: 'num_experts_per_token',
    },
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

/** Lfm2MLP: two thirds of the stated width, times a factor, rounded up to a multiple. */
function lfm2(values: ConfigValues, { intermediateSize }: ModelFacts): Partial<ModelFacts> {
  if (!values.flag('block_auto_adjust_ff_dim')) return {};
  const stated = values.value('block_ffn_dim_multiplier');
  const factor = typeof stated === 'number' ? stated : 1;
  const width = Math.floor(factor * Math.floor((2 * intermediateSize) / 3));
  const multiple = values.optionalSize('block_multiple_of') ?? 1;
  return { intermediateSize: multiple * Math.ceil(width / multiple) };
}

/** Query and key heads have a rotary and a non-rotary part; configs state either, or neither. */
function latentHeads(_: ConfigValues, { mla }: ModelFacts): Partial<ModelFacts> {
  return mla ? { headDim: mla.qkNopeHeadDim + mla.qkRopeHeadDim } : {};
}

/** Of a delta attention's projections, five have the width of all its heads: queries, keys, values, gate, out. */
const DELTA_PROJECTIONS = 5;

/**
 * Kimi Linear and Kimi K3: latent attention in the listed layers, delta attention in the others, whose heads have sizes
 * of their own (NeMo Automodel 36044ad, components/models/kimi_k3/config.py and model.py: KimiDeltaAttention). A gate of
 * low rank is narrower than one of full rank.
 */
function deltaLayers(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const own = latentHeads(values, model);
  const stated = values.value('linear_attn_config');
  const config = typeof stated === 'object' && stated !== null ? (stated as Record<string, unknown>) : {};
  const { full_attn_layers: listed, num_heads: heads, head_dim: size, use_full_rank_gate: full } = config;
  if (!Array.isArray(listed) || typeof heads !== 'number' || typeof size !== 'number') return own;
  const layer_types = Array.from({ length: Math.min(model.layers, 10_000) }, (_, at) =>
    listed.includes(at + 1) ? 'full_attention' : 'linear_attention',
  );
  const wide = full === true ? DELTA_PROJECTIONS : DELTA_PROJECTIONS - 1;
  const mixer_columns = (wide * heads * size) / model.hiddenSize;
  return { ...own, extra: { ...model.extra, layer_types, mixer_columns } };
}

function sparseIndexer(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const indexer = {
    n_heads: values.size('index_n_heads'),
    head_dim: values.size('index_head_dim'),
    topk: values.size('index_topk'),
  };
  return { ...latentHeads(values, model), extra: { ...model.extra, sparse_indexer: indexer } };
}
