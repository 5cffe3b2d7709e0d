import { countDecoder } from '../countDecoder';
import type { ModelFacts } from '../model';
import type { ConfigValues } from './config';
import { layerNormBlock, mistral } from './decoders';
import type { Families, Family } from './family';

const gpt: Family['keys'] = {
  hiddenSize: ['n_embd', 'hidden_size'],
  intermediateSize: ['n_inner'],
  layers: ['n_layer', 'num_hidden_layers'],
  heads: ['n_head', 'num_attention_heads'],
  maxPositions: ['n_positions', 'max_position_embeddings', 'n_ctx'],
};

const named = ['activation_function', 'hidden_act'];

/** Decoders before Llama (GPT-2 to Falcon): keys and blocks differ by family. */
export const oldDecoders: Families = {
  gpt2: { ...layerNormBlock, keys: gpt, activation: named, positions: 'learned' },
  gpt_bigcode: {
    ...layerNormBlock,
    keys: gpt,
    activation: named,
    positions: 'learned',
    adjust: values => (values.flag('multi_query') ? { kvHeads: 1 } : {}),
  },
  gptj: {
    ...layerNormBlock,
    keys: gpt,
    activation: named,
    normsPerLayer: 1,
    qkvBias: false,
    attentionOutBias: false,
    extra: { parallel_residual: true, lm_head_bias: true },
  },
  gpt_neo: {
    ...layerNormBlock,
    keys: { layers: ['num_layers', 'num_hidden_layers'], heads: ['num_heads', 'num_attention_heads'] },
    activation: named,
    positions: 'learned',
    qkvBias: false,
  },
  gpt_neox: {
    ...layerNormBlock,
    qkvBias: 'attention_bias',
    attentionOutBias: 'attention_bias',
    adjust: (values, model) => ({
      extra: { ...model.extra, parallel_residual: values.flag('use_parallel_residual') },
    }),
  },
  phi: {
    ...layerNormBlock,
    normsPerLayer: 1,
    extra: { parallel_residual: true, lm_head_bias: true },
    refuse: values => (values.flag('qk_layernorm') ? 'qk_layernorm of phi is not supported' : null),
  },
  opt: {
    ...layerNormBlock,
    keys: { intermediateSize: ['ffn_dim'] },
    activation: ['activation_function'],
    positions: 'learned',
    qkvBias: 'enable_bias',
    attentionOutBias: 'enable_bias',
    mlpBias: 'enable_bias',
    adjust: opt,
  },
  // Positions begin at row 2.
  biogpt: {
    ...layerNormBlock,
    positions: 'learned',
    adjust: (_, model) => ({ positionRows: (model.maxPositions ?? 0) + 2 }),
  },
  bloom: {
    ...layerNormBlock,
    keys: {
      hiddenSize: ['hidden_size', 'n_embed'],
      layers: ['n_layer', 'num_hidden_layers'],
      heads: ['n_head', 'num_attention_heads'],
      maxPositions: ['seq_length'],
    },
    positions: 'alibi',
    extra: { embed_norm: true },
  },
  mpt: {
    ...layerNormBlock,
    keys: {
      hiddenSize: ['d_model'],
      layers: ['n_layers'],
      heads: ['n_heads'],
      maxPositions: ['max_seq_len'],
    },
    norm: 'layernorm-no-bias',
    positions: 'alibi',
    qkvBias: false,
    attentionOutBias: false,
    mlpBias: false,
    adjust: (values, model) => ({ intermediateSize: values.count('expansion_ratio') * model.hiddenSize }),
  },
  // LLM Foundry's MPT, as its dialect describes it: biases, positions and widths are stated.
  'mpt-foundry': {
    ...layerNormBlock,
    keys: { hiddenSize: ['d_model'], layers: ['n_layers'], heads: ['n_heads'], kvHeads: ['kv_n_heads'] },
    qkvBias: 'attention_bias',
    attentionOutBias: 'bias',
    mlpBias: 'bias',
    adjust: foundry,
  },
  starcoder2: {
    ...layerNormBlock,
    qkvBias: 'use_bias',
    attentionOutBias: 'use_bias',
    mlpBias: 'use_bias',
  },
  falcon: {
    ...layerNormBlock,
    keys: { intermediateSize: ['ffn_hidden_size'] },
    activation: ['activation'],
    qkvBias: 'bias',
    attentionOutBias: 'bias',
    mlpBias: 'bias',
    adjust: falcon,
  },
  chatglm: {
    ...mistral,
    keys: {
      intermediateSize: ['ffn_hidden_size', 'inner_hidden_size'],
      layers: ['num_layers'],
      kvHeads: ['multi_query_group_num'],
      headDim: ['kv_channels'],
      vocabSize: ['padded_vocab_size', 'vocab_size'],
      maxPositions: ['seq_length'],
    },
    qkvBias: 'add_qkv_bias',
    attentionOutBias: 'add_bias_linear',
    mlpBias: 'add_bias_linear',
    adjust: chatglm,
    refuse: values =>
      values.flag('multi_query_attention') || values.flag('position_encoding_2d')
        ? null
        : 'chatglm without multi_query_attention is not supported',
  },
  qwen: {
    ...mistral,
    keys: { headDim: ['kv_channels'], maxPositions: ['seq_length'] },
    qkvBias: true,
    // The config counts both halves of the gated MLP.
    adjust: (_, model) => ({ intermediateSize: model.intermediateSize / 2, activation: 'silu' }),
  },
  exaone: {
    ...mistral,
    keys: { layers: ['num_layers', 'num_hidden_layers'] },
    activation: ['activation_function'],
  },
  // Catalog only: their configs leave out what the remote code decides.
  baichuan: { ...mistral, count: countDecoder, refuse: remote },
  internlm: { ...mistral, count: countDecoder, refuse: remote },
  internlm3: { ...mistral, count: countDecoder, refuse: remote },
  minicpm: { ...mistral, count: countDecoder, refuse: remote },
  mimo: { ...mistral, count: countDecoder, refuse: remote },
  llama_bidirec: { ...mistral, count: countDecoder, refuse: remote },
};

function remote(values: ConfigValues): string {
  const type = values.text('model_type') ?? '';
  return `model type ${type} comes with code of its own, which is not run`;
}

/** The first generation has two-dimensional positions, LayerNorm, biases everywhere and tied embeddings. */
function chatglm(values: ConfigValues): Partial<ModelFacts> {
  if (!values.flag('position_encoding_2d')) return {};
  return {
    qkvBias: true,
    attentionOutBias: true,
    mlpBias: true,
    gatedMlp: false,
    norm: 'layernorm',
    activation: 'gelu',
    tiedEmbeddings: true,
  };
}

/** Positions are learned unless the config has them otherwise; without biases the norms have none either. */
function foundry(values: ConfigValues): Partial<ModelFacts> {
  const learned = values.flag('learned_pos_emb');
  const rows = values.count('max_seq_len');
  const unlearned = values.flag('alibi') ? 'alibi' : 'none';
  const added = learned ? 'learned' : unlearned;
  return {
    norm: values.flag('bias') ? 'layernorm' : 'layernorm-no-bias',
    positions: values.flag('rope') ? 'rope' : added,
    positionRows: learned ? rows : 0,
  };
}

/** Positions begin at row 2; OPT-350M's embedding is narrower than its layers and it has no final norm. */
function opt(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const width = values.optionalSize('word_embed_proj_dim') ?? model.hiddenSize;
  const finalNorm = values.flag('do_layer_norm_before') && !values.flag('_remove_final_layer_norm');
  return {
    positionRows: (model.maxPositions ?? 0) + 2,
    extra: {
      ...model.extra,
      ...(width === model.hiddenSize ? {} : { word_embed_dim: width }),
      ...(finalNorm ? {} : { final_norm: false }),
    },
  };
}

/** Three generations: 7B (one KV head, one norm), 40B and 180B (grouped heads, two norms), RW-1B (ALiBi, serial). */
function falcon(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const grouped = values.flag('new_decoder_architecture');
  const parallel = grouped || values.flag('parallel_attn');
  const norms = values.optionalSize('num_ln_in_parallel_attn') ?? (grouped ? 2 : 1);
  const kvHeads = values.flag('multi_query') ? 1 : model.heads;
  return {
    kvHeads: grouped ? (values.optionalSize('num_kv_heads') ?? model.heads) : kvHeads,
    normsPerLayer: parallel ? norms : 2,
    positions: values.flag('alibi') ? 'alibi' : 'rope',
    extra: { ...model.extra, parallel_residual: parallel },
  };
}
