import type { MlaFacts, ModelFacts, MoeFacts, ParameterCounts } from './model';
import { counts, extraFlag, extraNumber, linear, mlp, norm } from './shapes';

/**
 * Parameters of a decoder with attention and MLP in every layer: dense or mixture of experts, MHA/GQA/MQA or MLA.
 * Tied weights count once; buffers (masks, rotary frequencies) do not count.
 */
export function countDecoder(model: ModelFacts): ParameterCounts {
  const attention = model.mla ? latentAttention(model, model.mla) : headAttention(model);
  const finalNorm = extraFlag(model, 'final_norm', true) ? norm(model.hiddenSize, model.norm) : 0;
  const embedNorm = extraFlag(model, 'embed_norm') ? norm(model.hiddenSize, model.norm) : 0;
  const layerNorms = model.normsPerLayer * norm(model.hiddenSize, model.norm);
  return counts({
    embedding: embedding(model),
    attention: model.layers * attention.projections,
    mlp: allMlps(model),
    norm: model.layers * (layerNorms + attention.norms) + finalNorm + embedNorm,
    head: head(model),
    other: linear(model.hiddenSize, extraNumber(model, 'embedding_head_dim'), true),
  });
}

/**
 * Word table and learned positions; OPT-350M's embedding is narrower than its layers, with projections in and out.
 */
function embedding(model: ModelFacts): number {
  const width = extraNumber(model, 'word_embed_dim') || model.hiddenSize;
  const words = (model.vocabSize + extraNumber(model, 'extra_embeddings')) * width;
  const projections = width === model.hiddenSize ? 0 : 2 * width * model.hiddenSize;
  return words + model.positionRows * model.hiddenSize + projections;
}

function head(model: ModelFacts): number {
  if (model.tiedEmbeddings || extraFlag(model, 'no_lm_head')) return 0;
  return linear(model.hiddenSize, model.vocabSize, extraFlag(model, 'lm_head_bias'));
}

interface Attention {
  readonly projections: number;
  readonly norms: number;
}

function headAttention(model: ModelFacts): Attention {
  const queries = model.heads * model.headDim;
  const keys = model.kvHeads * model.headDim;
  const sinks = extraFlag(model, 'attention_sinks') ? model.heads : 0;
  const projections =
    linear(model.hiddenSize, queries, model.qkvBias) +
    2 * linear(model.hiddenSize, keys, model.qkvBias) +
    linear(queries, model.hiddenSize, model.attentionOutBias) +
    sinks;
  const norms = { head: 2 * model.headDim, full: queries + keys, 'each-head': queries + keys };
  return { projections, norms: model.qkNorm ? norms[model.qkNorm] : 0 };
}

/** Low-rank pairs for queries (if they have a rank) and for keys and values, with a norm in each pair. */
function latentAttention(model: ModelFacts, mla: MlaFacts): Attention {
  const hidden = model.hiddenSize;
  const queries = model.heads * (mla.qkNopeHeadDim + mla.qkRopeHeadDim);
  const query = mla.qLoraRank > 0 ? mla.qLoraRank * (hidden + queries) : hidden * queries;
  const keysAndValues =
    hidden * (mla.kvLoraRank + mla.qkRopeHeadDim) +
    mla.kvLoraRank * model.heads * (mla.qkNopeHeadDim + mla.vHeadDim);
  const out = model.heads * mla.vHeadDim * hidden;
  const index = sparseIndexer(model, mla);
  return {
    projections: query + keysAndValues + out + index.projections,
    norms: mla.qLoraRank + mla.kvLoraRank + index.norms,
  };
}

/** DeepSeek-V3.2's and GLM-5's lightning indexer: queries, one key, a LayerNorm on it, weights per head. */
function sparseIndexer(model: ModelFacts, mla: MlaFacts): Attention {
  const indexer = model.extra['sparse_indexer'] as { n_heads: number; head_dim: number } | undefined;
  if (!indexer) return { projections: 0, norms: 0 };
  const queries = mla.qLoraRank * indexer.n_heads * indexer.head_dim;
  const keyAndWeights = model.hiddenSize * (indexer.head_dim + indexer.n_heads);
  return { projections: queries + keyAndWeights, norms: 2 * indexer.head_dim };
}

function allMlps(model: ModelFacts): number {
  const dense = mlp(model.hiddenSize, model.intermediateSize, model.gatedMlp, model.mlpBias);
  if (!model.moe) return model.layers * dense;
  const denseLayers = model.moe.besideDense ? model.layers : model.layers - model.moe.layers;
  return model.moe.layers * experts(model, model.moe) + denseLayers * dense;
}

/** Experts, shared expert, router and the router's score corrections of one layer; the way to a latent and back, with a norm. */
function experts(model: ModelFacts, moe: MoeFacts): number {
  const hidden = model.hiddenSize;
  const latent = moe.latentSize ?? hidden;
  const one = mlp(latent, moe.intermediateSize, model.gatedMlp, moe.expertBias);
  const shared = mlp(hidden, moe.sharedIntermediateSize, model.gatedMlp, moe.expertBias);
  return (
    model.experts * one +
    (moe.latentSize === undefined ? 0 : 2 * hidden * latent + norm(latent, model.norm)) +
    (moe.sharedIntermediateSize > 0 ? shared : 0) +
    linear(hidden, model.experts, moe.routerBias) +
    (moe.scoreCorrection ? model.experts : 0) +
    (moe.sharedGate ? hidden : 0)
  );
}
